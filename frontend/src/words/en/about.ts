/** What the page says of itself. `AURA` stands for the agent's name in every table: see fitWords.ts. */
export const about = {
  name: 'AURA',
  tagline: 'A voice to talk with. Speak or type, and interrupt it whenever you like.',
  taglineTyping: 'A voice to talk with. Type, hear it answer, and interrupt it whenever you like.',
  taglineWithEyes: 'A voice to talk with. Speak, type or show it something, and interrupt it whenever you like.',
};
