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
  again: 'Hear it once more',
  replay: {
    title: 'A recorded call',
    choose: 'Choose the two files of a record: timeline.json and sound.ogg. They stay in this browser.',
    unreadable: 'That is no record which can be shown here.',
    noWave: 'This browser cannot draw the sound.',
    play: 'Play',
    pause: 'Pause',
    cursor: 'Moment of the call',
    tools: 'Tools',
  },
};
