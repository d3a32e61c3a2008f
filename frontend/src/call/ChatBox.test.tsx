import { createRef } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, it } from 'vitest';
import { settingsStore } from '../settings/store';
import { ChatBox } from './ChatBox';

afterEach(() => settingsStore.set({ letterKeys: true }));

const drawn = () => {
  const nothing = async () => {};
  return renderToStaticMarkup(
    <ChatBox box={createRef()} send={nothing} show={nothing} agentHears={true} sees={null} />,
  );
};

it('is written in from the side where the language of the person begins', () => {
  expect(drawn()).toMatch(/<input[^>]* dir="auto"/);
});

it('names its key only while keys with a character on them act', () => {
  expect(drawn()).toContain('aria-keyshortcuts="/"');
  settingsStore.set({ letterKeys: false });
  expect(drawn()).not.toContain('aria-keyshortcuts');
});
