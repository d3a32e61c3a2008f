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
  mutedSpeaking: 'Du bist stummgeschaltet',
  mutedSpeakingHint: 'Du sprichst, und nichts davon wird gehört. Schalte unten das Mikrofon ein.',
  titleOpen: (name) => `● ${name}`,
  titleDoing: (doing, name) => `${doing} · ${name}`,
};
