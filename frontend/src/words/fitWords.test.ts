import { expect, it } from 'vitest';
import { en } from './en';
import { fitWords } from './fitWords';

it('leaves the table as it is where nothing is to be changed', () => {
  expect(fitWords(en, { page: 'AURA', agent: 'AURA', instead: {} })).toEqual(en);
});

it('speaks of the agent by its name, and of the page by its own', () => {
  const words = fitWords(en, { page: 'Museum', agent: 'Nova $&', instead: {} });
  expect(words.about.name).toBe('Museum');
  expect(words.call.typeTo).toBe('Type to Nova $&');
  expect(words.agent.states.absent.title).toBe('Waiting for Nova $&');
  expect(words.door.remembersFor(40)).toBe('Nova $& remembers it for 40 s more.');
  expect(words.agent.figures.over_agent_ms?.('120 ms')).toBe('120 ms over Nova $&');
});

it('takes the texts of a brand, wherever they stand in the table', () => {
  const instead = { 'door.start': 'Ask AURA', 'agent.states.listening.title': 'All ears', 'door.nothing': 'x' };
  const words = fitWords(en, { page: 'Museum', agent: 'Nova', instead });
  expect([words.door.start, words.agent.states.listening.title]).toEqual(['Ask Nova', 'All ears']);
  expect('nothing' in words.door).toBe(false);
});
