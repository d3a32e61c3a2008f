import { expect, it } from 'vitest';
import { type TurnedCamera, turnTo } from './turnTo';

/** A browser's cameras, of which each that says so looks at what is before the person. */
function cameras(...looking: (string | undefined)[]): TurnedCamera & { readonly ids: string[] } {
  let used = 'camera 0';
  return {
    ids: looking.map((_, number) => `camera ${number}`),
    used: () => used,
    async open(wish) {
      const asked = 'deviceId' in wish ? wish.deviceId.exact : `camera ${looking.indexOf(wish.facingMode)}`;
      used = asked === 'camera -1' ? 'camera 0' : asked;
    },
  };
}

it('takes the camera that says it looks the other way', async () => {
  const phone = cameras('user', undefined, 'environment');
  await turnTo(phone, 'environment', phone.ids);
  expect(phone.used()).toBe('camera 2');
  await turnTo(phone, 'user', phone.ids);
  expect(phone.used()).toBe('camera 0');
});

it('takes the next one where none says which way it looks', async () => {
  const tablet = cameras(undefined, undefined);
  await turnTo(tablet, 'environment', tablet.ids);
  expect(tablet.used()).toBe('camera 1');
});

it('stays where there is no other', async () => {
  const desk = cameras(undefined);
  await turnTo(desk, 'environment', desk.ids);
  expect(desk.used()).toBe('camera 0');
});
