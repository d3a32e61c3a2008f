import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SHEET = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');
const LOOKS = ['light', 'dark'] as const;

/** The hexadecimal colour of a token by day or by night. */
function colour(token: string, look: (typeof LOOKS)[number]): string {
  const found = SHEET.match(new RegExp(`--${token}: light-dark\\((#\\w{6}), (#\\w{6})\\)`));
  const value = found?.[LOOKS.indexOf(look) + 1];
  if (!value) throw new Error(`there is no token ${token}`);
  return value;
}

/** Relative luminance, of WCAG 2.2. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe.each(LOOKS)('by %s colours', (look) => {
  const on = (token: string, behind: string) => contrast(colour(token, look), colour(behind, look));

  it.each(['paper', 'raised'])('words can be read on %s (1.4.3)', (behind) => {
    for (const text of ['ink', 'soft', 'agent', 'person', 'danger'])
      expect(on(text, behind), text).toBeGreaterThan(4.5);
  });

  it.each(['paper', 'raised'])(
    'what can be used is seen on %s by its edge or its colour, and so are voices; axe does not test it (1.4.11)',
    (behind) => {
      for (const drawn of ['outline', 'primary', 'danger-fill', 'agent-bar', 'person-bar'])
        expect(on(drawn, behind), drawn).toBeGreaterThan(3);
    },
  );

  it('the words on the main button can be read', () => {
    expect(on('on-primary', 'primary')).toBeGreaterThan(4.5);
  });
});
