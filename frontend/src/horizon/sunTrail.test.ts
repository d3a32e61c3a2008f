import { expect, it } from 'vitest';
import { wayBetween } from './sunTrail';

const DOOR = { x: 700, y: 500, width: 1200, lineY: 400 };

it('begins where the horizon and the sun stood, and as large as the sun was', () => {
  const way = wayBetween(DOOR, { x: 560, y: 300, width: 300, lineY: 280 });
  expect(way.whole).toBe('translateY(120px)');
  expect(way.sun).toBe('translate(140px, 80px) scale(4.000)'); // 200 px down, 120 of which the whole goes
});

it('goes nowhere if nothing has moved, and keeps its size where the new place has none yet', () => {
  expect(wayBetween(DOOR, DOOR)).toEqual({ whole: 'translateY(0px)', sun: 'translate(0px, 0px) scale(1.000)' });
  expect(wayBetween(DOOR, { ...DOOR, width: 0 }).sun).toContain('scale(1.000)');
});
