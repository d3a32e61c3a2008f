/** The call's controls, banner and bars. */
import type { Shown } from '../../agent/attributes';

export const call = {
  lost: {
    titles: { microphone: 'The microphone has gone', camera: 'The camera has gone' },
    advice:
      'It was unplugged, or taken away. Where there is another one, that is used now. Choose one, and switch it on if it is off. You can type meanwhile.',
  },
  stage: 'Who speaks',
  controls: 'Call controls',
  microphone: 'Microphone',
  camera: 'Camera',
  shareScreen: 'Share the screen',
  /** The tip of a button that is on or off. */
  turned: (name: string, on: boolean, shortcut?: string) =>
    `${name}: ${on ? 'on' : 'off'}${shortcut ? ` (${shortcut})` : ''}`,
  leaveCall: 'Leave the call',
  leaveTip: 'Leave (Esc)',
  leaveQuestion: 'Leave the call?',
  leaveAdvice: 'You can return within 45 seconds and go on where you were.',
  stay: 'Stay',
  leave: 'Leave',
  typeTo: 'Type to AURA',
  typeLater: 'Type: it is sent when AURA is here',
  /** Of what was sent before. */
  typedWaits: 'Is sent as soon as AURA is here',
  send: 'Send',
  quality: {
    good: 'Connection: good',
    fair: 'Connection: fair',
    weak: 'Connection: weak. Move closer to the router or switch the camera off',
    lost: 'Connection: lost',
    unknown: 'Connection: being measured',
  },
  your: { screen: 'Your screen', camera: 'Your camera' } satisfies Record<Shown, string>,
  you: 'You',
  sees: { screen: 'AURA sees your screen', camera: 'AURA sees your camera' } satisfies Record<Shown, string>,
  notSeen: 'not seen',
  unchanged: 'That could not be changed',
  unchangedAdvice: 'Try again in a moment.',
  /** The voice could not be heard; why, by the field that the agent names. */
  sample: {
    title: 'The voice cannot be heard just now',
    why: {
      voice: 'AURA is about to speak: try again when it is quiet.',
      modality: 'AURA answers in writing. Switch “Text only” off to hear it.',
      greeting: 'AURA has nothing that it could say on its own.',
    } as Readonly<Record<string, string>>,
  },
  /** What came of a request to the agent, by the code of LiveKit's `RpcError`. */
  undone: {
    1400: 'The AURA of this call cannot do that.',
    1401: 'AURA is not here just now. Try again when it is back.',
    1402: 'That was too large to be sent.',
    1403: 'The server of this call cannot do that.',
    1404: 'The AURA of this call is of another version, and cannot do that.',
    1500: 'Something failed at AURA. Try again in a moment.',
    1501: 'AURA could not be reached. Try again in a moment.',
    1502: 'AURA did not answer in time. Try again in a moment.',
    1503: 'AURA has just been cut off. Try again when it is back.',
    1504: 'Something failed at AURA. Try again in a moment.',
    1505: 'It could not be sent. Try again when the connection is back.',
  } as Readonly<Record<string, string>>,
  again: { return: 'Try again', anew: 'Start a new call', unlock: 'Play the sound' },
};
