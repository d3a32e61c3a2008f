/** What AURA sees. */
export const seeing = {
  /** In front of what it makes out, which is told in English. */
  sees: 'sees:',
};
