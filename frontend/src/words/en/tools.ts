/** The tools that the agent uses: how each call stands. */
export const tools = {
  title: 'Tools',
  given: 'with',
  result: 'result',
  unfinished: 'not yet',
  took: (time: string) => `for ${time}`,
  states: {
    running: 'running',
    done: 'done',
    failed: 'failed',
    cancelled: 'called off',
    timed_out: 'took too long',
    asks: 'asks you first',
    lost: 'lost: AURA was gone',
  },
};
