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
