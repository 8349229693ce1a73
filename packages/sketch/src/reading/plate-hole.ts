import sharp from 'sharp';
import { close, dilate, type Mask } from '../cutout/mask.js';
import type { Photograph } from './photograph.js';
import type { Subject } from './subject.js';

/** The subject with its rim, and the shadow that it throws on the floor: all that an empty plate must not show. */
export function holeOf(subject: Subject, photograph: Photograph): Mask {
  const { mask } = subject;
  const { width, height } = mask;
  const long = Math.max(width, height);
  // A notch in the outline is a sleeve that was missed sooner than ground; and a rim that is left shines as a ghost.
  const grown = dilate(close(mask, Math.round(long * 0.045)), Math.max(4, Math.round(long * 0.017)));
  const bottom = Math.floor(mask.data.lastIndexOf(1) / width);
  if (bottom >= height - 3) return grown;
  const data = Uint8Array.from(grown.data);
  // The floor's shadow lies around the lowest tenth, up to as far beside the subject as it is broad.
  const rows = Math.round((bottom - Math.floor(mask.data.indexOf(1) / width)) * 0.1);
  const [left, right] = spanOf(mask, bottom - rows, bottom);
  const reach = Math.max(width * 0.27, (right - left) * 0.8);
  const { l } = photograph.asTaken;
  for (let y = bottom - rows; y < Math.min(height, bottom + rows * 0.8); y++) {
    const usual = usualLightness(l, grown, y);
    for (let x = Math.max(0, Math.round(left - reach)); x < Math.min(width, right + reach); x++) {
      const i = y * width + x;
      if ((l[i] ?? 0) < usual - 1.6) data[i] = 1;
    }
  }
  return dilate({ data, width, height }, 2);
}

function spanOf({ data, width }: Mask, from: number, to: number): readonly [number, number] {
  let [left, right] = [width, 0];
  for (let y = Math.max(0, from); y <= to; y++)
    for (let x = 0; x < width; x++)
      if (data[y * width + x]) {
        left = Math.min(left, x);
        right = Math.max(right, x);
      }
  return [left, right];
}

function usualLightness(l: Float32Array, { data, width }: Mask, y: number): number {
  const values: number[] = [];
  for (let x = 0; x < width; x += 2) if (!data[y * width + x]) values.push(l[y * width + x] ?? 0);
  return values.sort((p, q) => p - q)[values.length >> 1] ?? 0;
}

/** The hole at another size: 1 where something is missing. */
export async function scaledHole(mask: Mask, width: number, height: number): Promise<Uint8Array> {
  const grey = Buffer.from(mask.data.map((v) => (v ? 255 : 0)));
  const scaled = await sharp(grey, { raw: { width: mask.width, height: mask.height, channels: 1 } })
    .resize(width, height, { kernel: 'cubic', fit: 'fill' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  const missing = new Uint8Array(scaled.length);
  for (let i = 0; i < missing.length; i++) missing[i] = (scaled[i] ?? 0) > 100 ? 1 : 0;
  return missing;
}
