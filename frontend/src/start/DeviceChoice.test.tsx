import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { DeviceChoice } from './DeviceChoice';

const drawn = (on: boolean, blocked: string | null) =>
  renderToStaticMarkup(
    <DeviceChoice kind="audioinput" on={on} deviceId={null} blocked={blocked} turn={() => {}} pick={() => {}} />,
  );

/** What a screen reader says of the switch beside its name and state. */
function described(html: string): string | undefined {
  const id = html.match(/aria-describedby="([^"]*)"/)?.[1];
  return id === undefined ? undefined : html.split(`id="${id}">`)[1]?.split('<')[0];
}

it('tells a screen reader, too, why a device cannot be used', () => {
  expect(described(drawn(true, 'in use elsewhere'))).toBe('in use elsewhere');
  expect(described(drawn(true, null))).toBeUndefined();
  expect(described(drawn(false, 'in use elsewhere'))).toBeUndefined();
});
