/** What stands under the sun, in the title of the window, and is said of it to screen readers. */
export const stage = {
  hearing: 'Hearing you',
  microphoneOff: 'Microphone off',
  microphoneOffHint: 'Switch it on below, or type.',
  releasedHint: 'Hold the button below while you speak, or the space bar.',
  releasedHintOnTouch: 'Hold the button below while you speak.',
  typing: 'Ready for what you type',
  typingHint: 'This address has no microphone. AURA answers aloud.',
  textOnly: 'Text only',
  textOnlyHint: 'Type below, and AURA writes back.',
  interruptOffHint: 'Interrupt in writing whenever you like.',
  earlyOffHint: 'You may already type: it is sent when AURA is here.',
  mutedSpeaking: 'You are muted',
  mutedSpeakingHint: 'You speak, and nothing of it is heard. Switch the microphone on below.',
  /** The title of the window while AURA waits for a word, and while it does something. */
  titleOpen: (name: string) => `● ${name}`,
  titleDoing: (doing: string, name: string) => `${doing} · ${name}`,
};
