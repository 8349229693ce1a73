import sharp from 'sharp';
import type { Mask } from '../cutout/mask.js';
import type { Raster } from '../drawing/rasterise.js';
import { opaque, outlinesOf } from './outline.js';
import type { Canvas, FigureLayers } from './subject.js';

/** Threads and curls take many points to follow and are not missed. */
async function rounded({ data, width, height }: Mask): Promise<Mask> {
  const soft = await sharp(Buffer.from(data.map((v) => v * 255)), { raw: { width, height, channels: 1 } })
    .blur(1.3)
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  return { data: new Uint8Array(soft).map((v) => (v > 127 ? 1 : 0)), width, height };
}

const both = (a: Mask, b: Mask): Mask => ({ ...a, data: a.data.map((v, i) => v & (b.data[i] ?? 0)) });

/**
 * Outlines of a composed picture, for a workflow that takes it apart again: `subject` is everything but the place, `cloth` the
 * garments, `front` the hair and hands that hide a part of them.
 */
export async function silhouettes(
  figure: FigureLayers,
  cloth: readonly Raster[],
  { width, height }: Canvas,
): Promise<Record<string, number[][]>> {
  const step = Math.max(1, Math.round(height / 512));
  const worn = opaque(cloth, width, height, step);
  const front = opaque([figure.over], width, height, step);
  const subject = opaque([figure.bare, figure.base, ...cloth, figure.over], width, height, step);
  return {
    subject: outlinesOf(await rounded(subject), 2.2),
    cloth: outlinesOf(await rounded(worn), 0.8),
    front: outlinesOf(both(worn, front), 1.4),
  };
}
