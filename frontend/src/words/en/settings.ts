/** What the person sets, as far as it is not on the sheet: devices and the look. */
import type { Theme } from '../../theme/theme';

export const settings = {
  title: 'Settings',
  themes: { system: 'system', light: 'light', dark: 'dark' } satisfies Record<Theme, string>,
  theme: (now: string, next: string) => `Theme: ${now}. Switch to ${next}`,
  pageLanguage: 'Language of the page and of calls',
  chooseMicrophone: 'Choose the microphone',
  chooseCamera: 'Choose the camera',
  systemDefault: 'System default',
  microphoneNumber: (number: number) => `Microphone ${number}`,
  cameraNumber: (number: number) => `Camera ${number}`,
  dismiss: (title: string) => `Dismiss: ${title}`,
};
