import type { Settings } from '../settings/settings';

/** What the person brings into the call. */
export type Choices = Pick<
  Settings,
  'microphone' | 'camera' | 'microphoneId' | 'cameraId' | 'loudspeakerId' | 'noiseSuppression' | 'holdToTalk'
>;

/** @param camera what a link asks for; null: nothing. */
export function choicesOf(settings: Settings, camera: boolean | null = null): Choices {
  const { microphoneId, cameraId, loudspeakerId, noiseSuppression, holdToTalk } = settings;
  return {
    microphone: settings.microphone && !settings.textOnly,
    camera: camera ?? settings.camera,
    microphoneId,
    cameraId,
    loudspeakerId,
    noiseSuppression,
    holdToTalk,
  };
}

/** What the person has switched by hand in a call: it holds for the calls that go on with it. */
export type Turned = Partial<Pick<Choices, 'microphone' | 'camera'>>;

/** What whoever goes on with a call brings along: nobody is heard or seen who had switched that off. */
export function goingOn(choices: Choices, turned: Turned, textOnly: boolean): Choices {
  const { microphone = choices.microphone, camera = choices.camera } = turned;
  return { ...choices, microphone: microphone && !textOnly, camera };
}

/** What a chip asks in the person's place, when the call has begun. */
export interface FirstQuestion {
  readonly text: string;
  /** The camera shows something that it is about. */
  readonly aboutPicture: boolean;
}

/** Where the call shall take place; null lets the server choose. */
export interface Place {
  readonly room: string | null;
  readonly identity: string | null;
}
