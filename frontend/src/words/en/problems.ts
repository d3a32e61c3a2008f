/** Everything that can go wrong: what happened, and what to do next. */
import type { Device } from '../../session/problems';

/** What to do once it is mended: a finger has no keys. */
const KEYS: Record<Device, readonly [pressed: string, tapped: string]> = {
  microphone: ['press M', 'tap the microphone'],
  camera: ['press V', 'tap the camera'],
  screen: ['share again', 'share again'],
  loudspeaker: ['try again', 'try again'],
};

const then = (device: Device, touch: boolean) => KEYS[device][touch ? 1 : 0];

export const problems = {
  device: {
    denied: (device: Device) => `The browser does not allow the ${device}`,
    deniedAdvice: (device: Device, touch: boolean) =>
      `Allow it in the address bar’s site settings, then ${then(device, touch)}. You can type meanwhile.`,
    missing: (device: Device) => `No ${device} was found`,
    missingAdvice: (device: Device, touch: boolean) =>
      `Plug one in, then ${then(device, touch)}. You can type meanwhile.`,
    taken: (device: Device) => `The ${device} is in use`,
    takenAdvice: (device: Device, touch: boolean) =>
      `Close the other program that uses it, then ${then(device, touch)}.`,
    failed: (device: Device) => `The ${device} could not be started`,
    failedAdvice: (device: Device, touch: boolean) => `Choose another one, then ${then(device, touch)}.`,
  },
  insecure: 'This address cannot use microphones',
  insecureAdvice:
    'Browsers allow them only on https:// addresses and on localhost. Open the page there. You can type meanwhile.',
  serverGone: 'The page cannot reach its server',
  serverGoneAdvice: 'Your network may be down, or AURA has been stopped. Try again in a moment.',
  serverGoneTechnical: 'The page’s web server did not answer. infra/up starts it.',
  /** By the code of what the server refuses; what stands here comes before the server's own English sentence. */
  refusals: {
    wrong_host: 'AURA cannot be called at this address',
    wrong_origin: 'AURA takes no calls from this page',
  } as Readonly<Record<string, string>>,
  /** What to do about it, where waiting does not help. */
  refusalAdvice: {
    wrong_host: 'Open the page at the address that whoever runs AURA has named.',
    wrong_origin: 'Open AURA in a window of its own.',
  } as Readonly<Record<string, string>>,
  refused: 'AURA does not take this call',
  refusedAdvice: 'Try again in a moment. If it stays so, tell whoever runs AURA.',
  /** `told`: what the server answered, in its own words. */
  refusedTechnical: (status: number, told: string) => `POST /api/token answered ${status}. ${told}`.trim(),
  forOperator: 'For whoever runs it',
  broken: 'The page has broken',
  brokenAdvice: 'Reload it. A call that was going on waits a little for you.',
  reload: 'Reload the page',
};
