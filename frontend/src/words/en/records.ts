/** What is recorded of a call, and how it is heard once more. */
export const records = {
  recorded: 'This call is recorded',
  sound: 'Sound',
  soundTip: 'Download what was recorded of this call so far',
  notFetched: { title: 'The record could not be had', advice: 'Try again in a moment.' },
  notDeleted: {
    title: 'The record could not be deleted',
    advice: 'Try again in a moment, or ask whoever runs this.',
  },
  remove: 'Delete the record',
};
