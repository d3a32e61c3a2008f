/** How large a picture is sent. Pure. */

/** The longest side of a picture, in pixels: as much as a model sees of it. */
export const LONGEST_SIDE = 1_600;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size with the same shape that has room; a small one is left as it is, and no side is nothing. */
export function fitted({ width, height }: Size, longest = LONGEST_SIDE): Size {
  const scale = Math.min(1, longest / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Of what was pasted or dropped, the first that may be a picture. */
export function firstPicture<Thing extends { readonly type: string }>(files: Iterable<Thing>): Thing | null {
  for (const file of files) if (file.type.startsWith('image/')) return file;
  return null;
}
