import { expect, it } from 'vitest';
import { usable } from '../storage/storage';
import { keepDraft, keptDraft } from './draft';

it('keeps what is written until it is sent, and nothing of it afterwards', () => {
  const tab = usable(() => {
    throw new Error('in memory');
  });
  expect(keptDraft(tab)).toBe('');
  keepDraft(tab, 'Where is');
  expect(keptDraft(tab)).toBe('Where is');
  keepDraft(tab, '');
  expect(tab.getItem('aura.draft')).toBeNull();
});
