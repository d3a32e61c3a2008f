import type { Words } from '../en';

export const stage: Words['stage'] = {
  hearing: 'Hört dich',
  microphoneOff: 'Mikrofon aus',
  microphoneOffHint: 'Schalte es unten ein, oder schreib.',
  releasedHint: 'Halte beim Sprechen unten den Knopf, oder die Leertaste.',
  releasedHintOnTouch: 'Halte beim Sprechen unten den Knopf.',
  typing: 'Bereit für das, was du schreibst',
  typingHint: 'Unter dieser Adresse gibt es kein Mikrofon. AURA antwortet laut.',
  textOnly: 'Nur Text',
  textOnlyHint: 'Schreib unten, und AURA schreibt zurück.',
  interruptOffHint: 'Unterbrich schriftlich, wann immer du willst.',
  earlyOffHint: 'Du kannst schon schreiben: Es wird gesendet, sobald AURA da ist.',
  mutedSpeaking: 'Du bist stummgeschaltet',
  mutedSpeakingHint: 'Du sprichst, und nichts davon wird gehört. Schalte unten das Mikrofon ein.',
  titleOpen: (name) => `● ${name}`,
  titleDoing: (doing, name) => `${doing} · ${name}`,
};
