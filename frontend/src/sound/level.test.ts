import { describe, expect, it } from 'vitest';
import { follow, levelOf } from './level';

const tone = (peak: number) => Float32Array.from({ length: 1000 }, (_, at) => peak * Math.sin((at * Math.PI) / 25));

describe('levelOf', () => {
  it('is nothing in silence and in the noise of a room, and full for a loud voice', () => {
    expect(levelOf(new Float32Array(1000))).toBe(0);
    expect(levelOf(new Float32Array(0))).toBe(0);
    expect(levelOf(tone(0.002))).toBe(0); // -57 dB
    expect(levelOf(tone(0.5))).toBe(1); // -9 dB
  });

  it('rises with the decibels in between', () => {
    expect(levelOf(tone(10 ** (-32 / 20) * Math.SQRT2))).toBeCloseTo(0.5); // -32 dB, half-way from -50 to -14
  });
});

describe('follow', () => {
  it('has gone nearly two thirds of the way up after 60 ms, and of the way down after 250 ms', () => {
    expect(follow(0, 1, 60)).toBeCloseTo(1 - 1 / Math.E);
    expect(follow(1, 0, 250)).toBeCloseTo(1 / Math.E);
    expect(follow(1, 0, 60)).toBeGreaterThan(0.75);
  });

  it('does not depend on how often it is asked', () => {
    const often = [1, 2, 3, 4].reduce((shown) => follow(shown, 1, 15), 0);
    expect(often).toBeCloseTo(follow(0, 1, 60));
  });

  it('arrives, so that nothing more has to be drawn', () => {
    expect(follow(0.004, 0, 10)).toBe(0);
    expect(follow(0.7, 0.7, 30)).toBe(0.7);
  });
});
