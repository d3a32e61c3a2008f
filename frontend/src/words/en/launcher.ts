/** The button and the window on pages of others. */
export const launcher = {
  open: 'Talk to AURA',
  goesOn: 'The call with AURA goes on',
  close: 'Close',
  refused: 'AURA cannot be shown on this page.',
  alone: 'Open it in a window of its own',
};
