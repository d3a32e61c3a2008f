/** What went on behind the words, and the file of it. */
export const details = {
  label: 'Details of this call',
  title: 'This call',
  close: 'Close the details',
  room: (name: string) => `For questions to whoever runs AURA: this call is called ${name}.`,
  keys: { microphone: 'microphone', camera: 'camera', type: 'type', leave: 'leave' },
  ahead: (time: string) => `${time}, ahead`,
  download: 'Download',
  downloadTip: 'Decisions, timings and what was said, as JSON',
  exportNote: 'What was said and written in this call, as the page shows it. Nothing else here tells what people said.',
};
