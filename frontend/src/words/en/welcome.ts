/** What the page promises before a call: only what this installation can keep. */
export const welcome = {
  runsHere: 'Runs on this computer. Nothing you say leaves it.',
  runsOn: (host: string) => `Runs on one computer, ${host}. What you say goes nowhere else.`,
  answersFrom: (host: string) => `Answers come from the server at ${host}.`,
  goesTo: (hosts: string) => `What you say goes to ${hosts}.`,
  starting: 'AURA is still starting. Press the button, and you are put through.',
  away: 'AURA cannot be reached just now. The button keeps trying.',
  recorded: 'Calls are recorded. You can download your record, and delete it.',
  questions: 'Something to begin with',
  story: 'Tell me a story',
  practise: (language: string) => `Practise ${language} with me`,
  see: 'What do you see?',
  joke: 'Tell me a joke',
};
