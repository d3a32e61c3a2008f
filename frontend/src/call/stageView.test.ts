import { expect, it } from 'vitest';
import { en } from '../words/en';
import { type StageSigns, stageView } from './stageView';

const QUIET: StageSigns = {
  state: 'listening',
  title: 'Listening',
  hint: 'Say something.',
  trouble: null,
  off: null,
  personSpeaks: false,
  touch: false,
};
const view = (signs: Partial<StageSigns>) => stageView({ ...QUIET, ...signs }, en);

it('says what the agent does, and in the title of the window, too', () => {
  expect(view({})).toMatchObject({ title: 'Listening', hint: 'Say something.', of: 'nobody', windowTitle: '● AURA' });
  const thinking = view({ state: 'thinking', title: 'Thinking', hint: '2 s' });
  expect(thinking).toMatchObject({ title: 'Thinking', of: 'agent', windowTitle: 'Thinking · AURA' });
});

it('hears who speaks, and asks them for nothing', () => {
  const hearing = { title: 'Hearing you', hint: '', of: 'person' };
  expect(view({ personSpeaks: true })).toMatchObject(hearing);
  expect(view({ personSpeaks: true, state: 'silent' })).toMatchObject(hearing);
  expect(view({ personSpeaks: true, state: 'speaking', title: 'Speaking' }).title).toBe('Speaking');
});

it('does not listen to who is muted, and tells them when they speak, whatever the agent does', () => {
  expect(view({ off: 'muted' }).title).toBe('Microphone off');
  expect(view({ off: 'muted', state: 'thinking', title: 'Thinking' }).title).toBe('Thinking');
  expect(view({ off: 'muted', personSpeaks: true }).title).toBe('You are muted');
  expect(view({ off: 'muted', personSpeaks: true, state: 'speaking' }).announced).toContain('You are muted');
});

it('tells who holds a button to talk to hold it, and nobody who only writes that they are muted', () => {
  expect(view({ off: 'released' }).hint).toContain('space bar');
  expect(view({ off: 'released', touch: true }).hint).not.toContain('space bar');
  expect(view({ off: 'released', personSpeaks: true })).toMatchObject({ title: 'You are muted', of: 'person' });
  expect(view({ off: 'unused', personSpeaks: true })).toMatchObject({ title: 'Text only', of: 'nobody' });
});

it('asks who can have no microphone to type, and for no switch', () => {
  expect(view({ off: 'none', personSpeaks: true })).toMatchObject({
    title: en.stage.typing,
    hint: en.stage.typingHint,
  });
});

it('keeps the reason of a silence also for who is muted', () => {
  const silent = view({ off: 'muted', state: 'silent', title: 'Stayed silent', hint: 'It was only a nod.' });
  expect(silent).toMatchObject({ title: 'Microphone off', hint: 'It was only a nod.' });
});

it('says what is wrong before everything else', () => {
  const trouble = { code: 'connection', title: 'Connection lost', text: '', action: null } as const;
  const lost = view({ trouble, off: 'muted', personSpeaks: true });
  expect(lost).toMatchObject({ title: 'Connection lost', hint: '', windowTitle: 'Connection lost · AURA' });
});

it('announces each state but the one that is heard, with the reason of a silence', () => {
  expect(view({}).announced).toBe('Listening');
  expect(view({ state: 'speaking', title: 'Speaking' }).announced).toBe('');
  const silent = view({ state: 'silent', title: 'Stayed silent', hint: 'It was only a nod.' });
  expect(silent.announced).toBe('Stayed silent. It was only a nod.');
});

it('tells who cannot be heard to interrupt in writing, and not to speak ahead', () => {
  const speaking = { state: 'speaking', title: 'Speaking', hint: 'Interrupt whenever you like.' } as const;
  expect(view(speaking).hint).toBe('Interrupt whenever you like.');
  for (const off of ['muted', 'unused', 'none'] as const) {
    expect(view({ ...speaking, off }).hint).toBe(en.stage.interruptOffHint);
  }
  expect(view({ ...speaking, off: 'released' }).hint).toBe(en.stage.releasedHint);
  const absent = { state: 'absent', title: 'Waiting', hint: 'You may already speak.' } as const;
  expect([view(absent).hint, view({ ...absent, off: 'muted' }).hint]).toEqual([
    'You may already speak.',
    en.stage.earlyOffHint,
  ]);
});
