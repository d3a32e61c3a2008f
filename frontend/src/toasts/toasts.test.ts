import { expect, it } from 'vitest';
import { nextToasts, type Toast, type ToastEvent } from './toasts';

const report = (code: string, title = code): ToastEvent => ({ type: 'report', problem: { code, title, advice: '' } });
const after = (...events: ToastEvent[]) => events.reduce<readonly Toast[]>(nextToasts, []).map(({ title }) => title);

it('shows the newest of each code, three at most', () => {
  expect(after(report('a', 'old'), report('b'), report('a', 'new'))).toEqual(['b', 'new']);
  expect(after(report('a'), report('b'), report('c'), report('d'))).toEqual(['b', 'c', 'd']);
});

it('forgets all of them with the call that they were about', () => {
  expect(after(report('a'), report('b'), { type: 'cleared' })).toEqual([]);
  expect(after(report('a'), { type: 'cleared' }, report('b'))).toEqual(['b']);
});

it('takes a message back', () => {
  expect(after(report('a'), report('b'), { type: 'withdraw', code: 'a' })).toEqual(['b']);
});
