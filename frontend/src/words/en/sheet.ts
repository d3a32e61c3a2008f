/** The settings sheet and the devices. */
import type { CaptionSize } from '../../settings/settings';

export const sheet = {
  close: 'Close the settings',
  aura: 'AURA',
  talking: 'Talking',
  devices: 'Sound and picture',
  page: 'This page',
  voice: 'Voice',
  ownVoice: 'its own',
  language: 'Language',
  asYouSpeak: 'Whichever I speak',
  languageGroups: {
    spoken: 'Understood and spoken',
    own: 'Understood: yours',
    others: 'Understood: all others',
  },
  findLanguage: 'Find a language',
  foundLanguages: (count: number, first: string): string =>
    count === 0
      ? 'There is none of that name.'
      : count === 1
        ? `Enter takes ${first}.`
        : `${count} in the list; Enter takes ${first}.`,
  speaksOnly: (language: string) => `AURA speaks ${language} only.`,
  speaksUp: {
    title: 'Speaks up',
    on: 'AURA may say something unasked, of what it sees.',
    off: 'AURA speaks only when you ask.',
  },
  sample: 'Hear it',
  /** Why a voice cannot be heard before a call, by the code of the server's refusal. */
  unheard: {
    full: 'Everybody is talking just now. Try again in a moment.',
    busy: 'Many want to hear a voice just now. Try again in a moment.',
    starting: 'AURA is still starting. Try again in a moment.',
    unreachable: 'AURA cannot be reached just now, and so cannot its voice.',
    no_voice: 'This voice is not there any more. Choose another one.',
    no_persona: 'Nobody of that name is there any more. Choose again.',
  } as Readonly<Record<string, string>>,
  unheardElse: 'The voice could not be heard. You will hear it in a call.',
  persona: 'Persona',
  voiceLater: 'You can choose a voice once a call has begun.',
  speaksFirst: 'Speaks first',
  speaksFirstHint: 'AURA greets you when a call begins.',
  speaksFirstOff: 'AURA waits until you say something.',
  nextCall: 'From the next call on.',
  textOnly: 'Text only',
  textOnlyOn: 'AURA answers in writing, and your microphone is off.',
  textOnlyOff: 'AURA answers aloud.',
  hold: {
    title: 'Hold to talk',
    on: 'The microphone is open only while you hold the space bar or the button.',
    onTouch: 'The microphone is open only while you hold the button.',
    off: 'The microphone stays open, and AURA hears when you are done.',
    button: 'Hold to talk',
    tip: 'Hold to talk (space bar)',
  },
  captionSize: 'Size of the captions',
  captionSizes: { small: 'Small', normal: 'Normal', large: 'Large', huge: 'Huge' } satisfies Record<
    CaptionSize,
    string
  >,
  readCaptions: 'Read captions aloud',
  readCaptionsHint: 'By your screen reader, each line once it is complete. It speaks over AURA’s voice.',
  letterKeys: 'Letter keys',
  letterKeysHint: 'M, V and / act in a call. Switch them off if you dictate.',
  pageLanguageHint: 'A call begins in it, too, if AURA speaks it and no other language is set.',
  theme: 'Colours',
  microphone: 'Microphone',
  camera: 'Camera',
  loudspeaker: 'Loudspeaker',
  loudspeakerNumber: (number: number) => `Loudspeaker ${number}`,
  loudspeakerFixed: 'This browser plays on the loudspeaker that the system has chosen.',
  level: 'Level of the microphone',
  levelOff: 'The microphone is off.',
  test: 'Test',
  stopTest: 'Stop',
  testTone: 'Play a tone',
  noise: 'Noise suppression',
  noiseHint: 'Keeps fans and keyboards out.',
  devicesOpen: 'Choose microphone, camera and loudspeaker',
};
