import { describe, expect, it } from 'vitest';
import type { ToolReport } from '../agent/attributes';
import { type ConversationEvent, type ConversationState, EMPTY, type Line, reduce } from './conversation';

type Without<T> = T extends unknown ? Omit<T, 'nowMs'> : never;

/** Plays events a second apart. */
function play(...events: Without<ConversationEvent>[]): ConversationState {
  return events.reduce<ConversationState>(
    (state, event, index) => reduce(state, { ...event, nowMs: index * 1000 } as ConversationEvent),
    EMPTY,
  );
}

const heard = (key: string, text: string, final = false) => ({ type: 'text', key, side: 'user', text, final }) as const;
const spoken = (key: string, text: string) => ({ type: 'text', key, side: 'agent', text, final: false }) as const;
const closed = (key: string) => ({ type: 'closed', key }) as const;
const decided = (what: string, atMs = 1) =>
  ({ type: 'decided', decision: { atMs, what, reason: '', text: '', figures: {} } }) as const;
const timings = { createToFirstAudioMs: null, atMs: 0, stages: [], moments: [] };
const timed = (responseId: string, ms: number) =>
  ({ type: 'timed', timings: { ...timings, responseId, speechEndToFirstAudioMs: ms } }) as const;
const brief = ({ text, final, mark }: Line) => [text, final, mark];

describe('captions', () => {
  it('replace a hypothesis by the newer one of the same segment', () => {
    const { lines } = play(heard('a', 'what'), heard('a', 'what is'), heard('a', 'What is it?', true));
    expect(lines.map(brief)).toEqual([['What is it?', true, null]]);
  });

  it('ignore an interim that comes after its final', () => {
    expect(play(heard('a', 'Yes.', true), heard('a', 'ye')).lines.map(brief)).toEqual([['Yes.', true, null]]);
  });

  it('stay open until the stream of the agent ends', () => {
    expect(play(spoken('b', 'Par'), spoken('b', 'Paris.')).lines.map(brief)).toEqual([['Paris.', false, null]]);
    expect(play(spoken('b', 'Paris.'), closed('b')).lines.map(brief)).toEqual([['Paris.', true, null]]);
  });

  it('open no line for an empty text', () => {
    expect(play(heard('a', ' ', true)).lines).toEqual([]);
  });

  it('keep what was heard when the agent is lost in mid-stream', () => {
    expect(play(spoken('b', 'One, two'), { type: 'lost', key: 'b' }).lines.map(brief)).toEqual([
      ['One, two', true, 'lost'],
    ]);
  });
});

describe('an agent that goes', () => {
  it('leaves no tool running, and what it tells later counts', () => {
    const report = (state: ToolReport['state']): ToolReport => ({
      callId: 'a',
      name: 'look',
      given: '',
      state,
      ms: 0,
      result: '',
    });
    const tool = (state: ToolReport['state']) => ({ type: 'tool', tool: report(state) }) as const;
    expect(play(tool('running'), { type: 'left' }).tools.map(({ state }) => state)).toEqual(['lost']);
    expect(play(tool('running'), { type: 'left' }, tool('done')).tools.map(({ state }) => state)).toEqual(['done']);
    const done = play(tool('done'));
    expect(reduce(done, { type: 'left', nowMs: 9 })).toBe(done);
  });
});

describe('decisions', () => {
  it('mark the answer that is given anew', () => {
    const anew = { ...decided('interrupted').decision, reason: 'modality' };
    const { lines } = play(spoken('b', 'One, two'), { type: 'decided', decision: anew }, closed('b'));
    expect(lines.map(brief)).toEqual([['One, two', true, 'anew']]);
  });

  it('mark the interrupted answer, open or just closed', () => {
    expect(play(spoken('b', 'One, two'), decided('interrupted'), closed('b')).lines.map(brief)).toEqual([
      ['One, two', true, 'interrupted'],
    ]);
    expect(play(spoken('b', 'One, two'), closed('b'), decided('interrupted')).lines[0]?.mark).toBe('interrupted');
  });

  it('leave an answer alone that ended long ago', () => {
    const state = play(
      spoken('b', 'Paris.'),
      closed('b'),
      heard('c', 'and'),
      heard('c', 'and so'),
      heard('c', 'and so?', true),
    );
    expect(reduce(state, { ...decided('interrupted'), nowMs: 9_000 }).lines[0]?.mark).toBeNull();
  });

  it('take the mark back when the answer goes on', () => {
    const { lines } = play(
      spoken('b', 'One'),
      decided('interrupted', 1),
      decided('resumed', 2),
      spoken('b', 'One, two'),
    );
    expect(lines.map(brief)).toEqual([['One, two', false, null]]);
  });

  it('mark the typed question that the person went on from', () => {
    const typed = { type: 'typed', key: 't', text: 'Where is Paris?' } as const;
    const marks = (...events: Parameters<typeof play>) => play(...events).lines.map(({ mark }) => mark);
    expect(marks(typed, heard('a', 'and'), decided('continued'))).toEqual(['unanswered', null]);
    expect(marks(typed, spoken('b', 'In'), heard('a', 'and'), decided('continued'))).toEqual([null, null, null]);
    expect(marks(typed, heard('a', 'And?', true), heard('c', 'wh'), decided('continued'))).toEqual([null, null, null]);
  });

  it('set a backchannel aside', () => {
    expect(play(spoken('b', 'One'), heard('a', 'mhm', true), decided('backchannel')).lines[1]?.mark).toBe('aside');
  });

  it('set aside the finished line when the next words have overtaken them', () => {
    const { lines } = play(heard('a', 'mhm', true), heard('b', 'how far'), decided('backchannel'));
    expect(lines.map(({ mark }) => mark)).toEqual(['aside', null]);
  });

  it('take a line back in when it becomes a turn', () => {
    expect(play(heard('a', 'well'), decided('noise', 1), decided('turn', 2)).lines[0]?.mark).toBeNull();
  });

  it('are logged once each', () => {
    expect(play(decided('turn', 1), decided('turn', 1), decided('turn', 2)).decisions.map(({ id }) => id)).toEqual([
      1, 2,
    ]);
  });
});

describe('waits', () => {
  it('belong to the answer whose words came before the figures', () => {
    const { lines, pendingWait } = play(heard('a', 'Hi.', true), spoken('b', 'Hello'), timed('r1', 700));
    expect(lines.map((line) => line.waitedMs)).toEqual([null, 700]);
    expect(pendingWait).toBeNull();
  });

  it('wait for the answer whose words come after the figures', () => {
    const { lines } = play(spoken('g', 'Welcome.'), heard('a', 'Hi.', true), timed('r1', 700), spoken('b', 'Hello'));
    expect(lines.map((line) => line.waitedMs)).toEqual([null, null, 700]);
  });

  it('belong to no line that was finished long before the figures, or comes long after them', () => {
    const late = play(heard('a', 'Hi.', true), timed('r1', 700));
    const after = reduce(late, { ...spoken('b', 'I see a dog.'), nowMs: 60_000 });
    expect(after.lines.map((line) => line.waitedMs)).toEqual([null, null]);
    expect(after.pendingWait).toBeNull();
    const done = play(heard('a', 'Hi.', true), spoken('b', 'Hello'), closed('b'));
    const before = reduce(done, { ...timed('r1', 700), nowMs: 60_000 });
    expect(before.lines.map((line) => line.waitedMs)).toEqual([null, null]);
  });

  it('are not those of an answer that was cut off or given up', () => {
    for (const what of ['interrupted', 'continued']) {
      const { lines } = play(heard('a', 'Hi.', true), timed('r1', 700), decided(what), spoken('b', 'I see a dog.'));
      expect(lines.map((line) => line.waitedMs)).toEqual([null, null]);
    }
  });

  it('count an answer once', () => {
    const { waits } = play(timed('r1', 700), timed('r2', 900), timed('r1', 700));
    expect(waits.map(({ ms }) => ms)).toEqual([700, 900]);
  });
});

it('keeps one entry a call of a tool, in the order in which they began, as each stands', () => {
  const tool = (callId: string, state: ToolReport['state'], ms = 0): ConversationEvent => ({
    type: 'tool',
    tool: { callId, name: 'look', given: '{}', state, ms, result: '' },
    nowMs: 0,
  });
  const told = [
    tool('a', 'running'),
    tool('b', 'running'),
    tool('b', 'failed', 20),
    tool('a', 'done', 90),
    tool('a', 'running'),
  ];
  const { tools } = told.reduce(reduce, EMPTY);
  expect(tools.map(({ callId, state, ms }) => [callId, state, ms])).toEqual([
    ['a', 'done', 90],
    ['b', 'failed', 20],
  ]);
});
