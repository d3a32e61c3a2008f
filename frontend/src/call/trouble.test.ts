import { expect, it } from 'vitest';
import { type Signs, stageState, troubleOf } from './trouble';

const WELL: Signs = {
  connected: true,
  connectionGone: false,
  agent: 'here',
  agentMissing: false,
  line: true,
  complaint: '',
  soundBlocked: false,
};
const code = (signs: Partial<Signs>) => troubleOf({ ...WELL, ...signs })?.code ?? null;

it('says nothing when all is well, or when the agent is about to join', () => {
  expect(code({})).toBeNull();
  expect(code({ agent: 'expected', line: false })).toBeNull();
});

it('says only the gravest of several troubles', () => {
  const all: Partial<Signs> = { agent: 'lost', agentMissing: true, complaint: 'Hm.', line: false, soundBlocked: true };
  expect(code({ ...all, connected: false })).toBe('connection');
  expect(code(all)).toBe('agent-lost');
  expect(code({ ...all, agent: 'here' })).toBe('line');
  expect(code({ ...all, agent: 'here', complaint: '' })).toBe('sound');
});

it('offers a way out once waiting does not help, and not before', () => {
  const action = (signs: Partial<Signs>) => troubleOf({ ...WELL, ...signs })?.action;
  expect(action({ connected: false })).toBeNull();
  expect(action({ connected: false, connectionGone: true })).toBe('return');
  expect(action({ agent: 'lost' })).toBeNull();
  expect(action({ agent: 'lost', agentMissing: true })).toBe('anew');
  expect(action({ agent: 'expected', agentMissing: true })).toBe('anew');
});

it('takes the place of the agent’s state when nothing can be heard or answered', () => {
  const title = (signs: Partial<Signs>) => troubleOf({ ...WELL, ...signs })?.title;
  expect(title({ connected: false })).toBe('Connection lost');
  expect(title({ agent: 'lost' })).toBe('AURA was cut off');
  expect(title({ line: false, complaint: 'The speech server cannot be reached.' })).toBe('AURA cannot answer now');
  expect(title({ complaint: 'I could not answer that.' })).toBeNull();
  expect(title({ soundBlocked: true })).toBeNull();
});

it('rests while the agent cannot answer, and stirs while one is waited for', () => {
  const stage = (signs: Partial<Signs>) => stageState('thinking', troubleOf({ ...WELL, ...signs }));
  expect(stage({})).toEqual({ shown: 'thinking', drawn: 'thinking' });
  expect(stage({ complaint: 'The speech server has stopped.', line: false })).toEqual({
    shown: 'absent',
    drawn: 'silent',
  });
  const absent = stageState('absent', troubleOf({ ...WELL, agent: 'expected' }));
  expect(absent).toEqual({ shown: 'absent', drawn: 'preparing' }); // it is on its way
  expect(stage({ connected: false })).toEqual({ shown: 'absent', drawn: 'absent' });
  expect(stage({ complaint: 'I could not answer that.' })).toEqual({ shown: 'thinking', drawn: 'thinking' });
});
