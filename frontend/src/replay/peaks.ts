/** How loud a channel is along a call: the loudest sample of each of so many columns, 0 to 1. Pure. */
export function peaksOf(samples: Float32Array, columns: number): readonly number[] {
  return Array.from({ length: columns }, (_, column) => {
    const end = Math.floor(((column + 1) * samples.length) / columns);
    let peak = 0;
    for (let at = Math.floor((column * samples.length) / columns); at < end; at += 1) {
      peak = Math.max(peak, Math.abs(samples[at] ?? 0));
    }
    return Math.min(1, peak);
  });
}

/** An outline of the columns about a middle line, as the path of an SVG. */
export function outline(peaks: readonly number[], middle: number, reach: number): string {
  if (peaks.length === 0) return '';
  const side = (sign: number) => peaks.map((peak, column) => `${column},${round(middle - sign * peak * reach)}`);
  return `M${[...side(1), ...side(-1).toReversed()].join('L')}Z`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
