/** Makes what somebody pastes, drops or photographs into the JPEG that is sent. */
import { fitted } from './scale';

const QUALITY = 0.86;
/** A file that is larger is not even opened. */
const MOST_BYTES = 60_000_000;

export interface Picture {
  readonly jpeg: Blob;
  /** Shows it on this page; whoever is done with the picture revokes it. */
  readonly url: string;
}

/** Rejects when the browser cannot read it as a picture. */
export async function prepareFile(file: Blob): Promise<Picture> {
  if (file.size > MOST_BYTES) throw new RangeError('too large');
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' });
  try {
    return await drawn(bitmap, bitmap);
  } finally {
    bitmap.close();
  }
}

/** The picture that a video shows now. */
export function prepareStill(video: HTMLVideoElement): Promise<Picture> {
  return drawn(video, { width: video.videoWidth, height: video.videoHeight });
}

async function drawn(source: CanvasImageSource, size: { width: number; height: number }): Promise<Picture> {
  const { width, height } = fitted(size);
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  if (!context) throw new TypeError('nothing to draw on');
  context.fillStyle = '#fff'; // where one sees through it
  context.fillRect(0, 0, width, height);
  context.drawImage(source, 0, 0, width, height);
  const jpeg = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', QUALITY));
  if (!jpeg) throw new TypeError('no picture');
  return { jpeg, url: URL.createObjectURL(jpeg) };
}
