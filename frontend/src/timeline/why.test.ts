import { expect, it } from 'vitest';
import type { Figures } from '../agent/attributes';
import type { LoggedDecision } from '../conversation/conversation';
import { whysOf, whyText } from './why';

let ids = 0;

function decided(what: string, reason = '', figures: Figures = {}, text = ''): LoggedDecision {
  ids += 1;
  return { id: ids, seenMs: 0, atMs: ids, what, reason, text, figures };
}

it('says for how long it waited, and what both judges made of the end', () => {
  const turn = (figures: Figures) => whyText(decided('turn', 'words', { since_pause_ms: 620, ...figures }));
  expect(turn({ sound_over: 'yes', words_over: 'yes' })).toBe('I waited 0.6 s: your sentence sounded finished.');
  expect(turn({ sound_over: 'yes' })).toBe('I waited 0.6 s: your sentence sounded finished.');
  expect(turn({ sound_over: 'yes', words_over: 'no' })).toContain('though its words did not');
  expect(turn({ sound_over: 'no', words_over: 'yes' })).toContain('a whole sentence');
  expect(turn({ sound_over: 'no' })).toContain('you might have gone on');
  expect(turn({})).toBe('I waited 0.6 s: then it was my turn.');
  expect(whyText(decided('turn', 'words'))).toBe('It was my turn.');
  expect(whyText(decided('turn', 'long_speech', { since_pause_ms: 0 }))).toContain('You spoke for long');
  expect(whyText(decided('turn', 'unchanged_words'))).toContain('Your sentence was whole');
});

it('tells a nod over its voice from one in a pause', () => {
  expect(whyText(decided('backchannel', 'backchannel', { over_agent_ms: 300 }))).toBe('Only a nod: I went on.');
  expect(whyText(decided('backchannel', 'backchannel', { over_agent_ms: 0 }))).toBe('Only a nod: I kept listening.');
});

it('says nothing twice: neither that it went on after a nod, nor the same thing again and again', () => {
  const whys = whysOf([
    decided('turn', 'long_speech'),
    decided('interrupted', 'words'),
    decided('backchannel', 'backchannel', { over_agent_ms: 300 }),
    decided('resumed', 'backchannel'),
    decided('noise', 'no_words'),
    decided('noise', 'no_words'),
  ]);
  expect(whys.map(({ text, times }) => [text.split(':')[0], times])).toEqual([
    ['You spoke for long without a pause', 1],
    ['You cut in', 1],
    ['Only a nod', 1],
    ['A sound without words', 2],
  ]);
  expect(whysOf([decided('resumed', 'timeout')])).toHaveLength(1);
});

it('has words for every reason, and the agent’s own for what is not known here', () => {
  expect(whyText(decided('silent', 'no_words'))).toBe('I heard no words in it, and said nothing.');
  expect(whyText(decided('silent', 'constructor'))).toBe('I chose to say nothing.');
  expect(whyText(decided('offer_dropped', 'repeated'))).toBe('I kept a remark to myself: it had been said before.');
  expect(whyText(decided('error', 'line', {}, 'AURA is away.'))).toBe('Something failed: AURA is away.');
  expect(whyText(decided('proactive', 'asked', {}, 'it speaks up again'))).toBe('It speaks up again');
  expect(whyText(decided('danced'))).toBe('danced');
});

it('names the tool that was used, how that ended and what it took', () => {
  const used = (state: string) => whyText(decided('tool', state, { tool: 'weather', tool_ms: 4_000 }));
  expect(used('done')).toBe('I used a tool: weather, 4.0 s.');
  expect(used('timed_out')).toContain('took too long: weather');
  expect(used('asks')).toBe('Before I use a tool I ask you: weather.');
  expect(used('constructor')).toBe('I used a tool: weather, 4.0 s.');
  expect(whyText(decided('no_tool', '', {}, 'maps: it has gone away'))).toContain('maps: it has gone away');
});

it('tells by what an answer was cut, and that there was none', () => {
  expect(whyText(decided('interrupted', 'typed'))).toBe('You cut in: I stopped.');
  expect(whyText(decided('interrupted', 'left'))).toBe('You left: I stopped.');
  expect(whyText(decided('interrupted', 'modality'))).toContain('I gave this answer anew');
  expect(whyText(decided('unanswered', 'left'))).toBe('You left before I had answered.');
});
