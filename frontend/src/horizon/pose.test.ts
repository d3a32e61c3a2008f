import { expect, it } from 'vitest';
import { STATES } from '../agent/attributes';
import { poseOf } from './pose';

it('stands a third over the line to listen, half to think, and is below it when nobody is there', () => {
  expect(poseOf('listening')).toMatchObject({ rise: 1 / 3, motion: 'breath' });
  expect(poseOf('thinking')).toMatchObject({ rise: 1 / 2, motion: 'rim' });
  expect(poseOf('speaking').motion).toBe('voice');
  expect(poseOf('watching').motion).toBe('glint');
  expect(poseOf('absent').rise).toBeLessThan(0);
});

it('is between setting and listening while it gets ready, and sinks to a dim arc in silence', () => {
  expect(poseOf('preparing').rise).toBeGreaterThan(0);
  expect(poseOf('preparing').rise).toBeLessThan(poseOf('listening').rise);
  expect(poseOf('silent').rise).toBeLessThan(poseOf('listening').rise);
  expect(poseOf('silent').glow).toBe(Math.min(...STATES.map((state) => poseOf(state).glow)));
});

it('can be told apart without motion: no two states stand alike', () => {
  const stands = STATES.map((state) => poseOf(state).rise);
  expect(new Set(stands).size).toBe(stands.length);
});
