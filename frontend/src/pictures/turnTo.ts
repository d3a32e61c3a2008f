/** Turns to a camera that looks the other way, as far as the browser knows which one does. */
import { cameraAfter, type Facing } from './cameras';

export interface TurnedCamera {
  /** The id of the one in use. */
  used(): string | undefined;
  open(wish: { readonly facingMode: Facing } | { readonly deviceId: { readonly exact: string } }): Promise<unknown>;
}

/**
 * A browser that does not know which way its cameras look opens the same one again: then it is the next one.
 *
 * @param cameras the ids of all.
 */
export async function turnTo(camera: TurnedCamera, facingMode: Facing, cameras: readonly string[]): Promise<void> {
  const before = camera.used();
  await camera.open({ facingMode });
  if (camera.used() !== before) return;
  const next = cameraAfter(before, cameras);
  if (next) await camera.open({ deviceId: { exact: next } });
}
