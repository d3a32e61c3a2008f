import { expect, it } from 'vitest';
import { bandsOf, loudness } from '../sound/bands';
import { restingBars, settle, voiceBars } from './shape';

it('hears a tone in its band and nothing in silence', () => {
  const spectrum = new Uint8Array(512);
  expect(bandsOf(spectrum, 46.9, 4)).toEqual([0, 0, 0, 0]);
  spectrum[6] = 255; // 281 Hz: the second of four bands from 90 to 5,000 Hz
  const bands = bandsOf(spectrum, 46.9, 4);
  expect(bands.map((band) => band > 0)).toEqual([false, true, false, false]);
  expect(loudness(bands)).toBeCloseTo(0.25);
});

it('draws a voice from the middle outwards, the same on both sides', () => {
  const bars = voiceBars([1, 0.5, 0.2], 9);
  expect(bars[4]).toBe(1);
  bars.forEach((height, bar) => {
    expect(height).toBeCloseTo(bars[8 - bar] ?? -1);
  });
  expect(voiceBars([], 5)).toEqual([0, 0, 0, 0, 0]);
});

it('keeps the line flat when the agent stays silent, and on its own side otherwise', () => {
  const { above, below } = restingBars('silent', 9, 3);
  expect([...above, ...below].every((height) => height === 0)).toBe(true);
  expect(Math.max(...restingBars('thinking', 9, 3).below)).toBe(0);
  expect(Math.max(...restingBars('listening', 9, 0.9).above)).toBe(0);
});

it('rises at once and falls gently', () => {
  expect(settle([0, 1], [1, 0], 0.25)).toEqual([1, 0.75]);
});
