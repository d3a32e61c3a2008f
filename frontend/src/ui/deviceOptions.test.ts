import { expect, it } from 'vitest';
import { chosenOption, deviceOptions } from './deviceOptions';

const device = (deviceId: string, label = '') => ({ deviceId, label });
const LISTED = [
  device('default', 'Default - Desk'),
  device('communications', 'Desk'),
  device('a', 'Desk'),
  device('b', 'Head'),
];
const options = deviceOptions(LISTED, 'System default', (number) => `Microphone ${number}`);

it('names the system’s own once, and each device as its maker does', () => {
  expect(options.map(({ name }) => name)).toEqual(['System default', 'Desk', 'Head']);
});

it('numbers devices whose names the browser keeps to itself', () => {
  const unnamed = deviceOptions([device('a'), device('b')], 'System default', (number) => `Microphone ${number}`);
  expect(unnamed.map(({ name }) => name)).toEqual(['System default', 'Microphone 1', 'Microphone 2']);
});

it('shows the same choice for the system’s own, whatever it is called', () => {
  expect(['', 'default', 'communications', 'gone', 'b'].map((active) => chosenOption(active, options))).toEqual([
    '',
    '',
    '',
    '',
    'b',
  ]);
});
