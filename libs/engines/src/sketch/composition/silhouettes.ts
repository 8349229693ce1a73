import type { Mask } from '../cutout/mask.js';
import type { Raster } from '../drawing/rasterise.js';
import { opaque, outlinesOf } from './outline.js';
import type { Canvas, FigureLayers } from './subject.js';

const both = (a: Mask, b: Mask): Mask => ({ ...a, data: a.data.map((v, i) => v & (b.data[i] ?? 0)) });

/**
 * Outlines of a composed picture, for whoever takes it apart again: `subject` is everything but the place, `cloth` the
 * garments, `front` the hair and hands that hide a part of them.
 */
export function silhouettes(
  figure: FigureLayers,
  cloth: readonly Raster[],
  { width, height }: Canvas,
): Record<string, number[][]> {
  const step = Math.max(1, Math.round(height / 360));
  const worn = opaque(cloth, width, height, step);
  const front = opaque([figure.over], width, height, step);
  const subject = opaque([figure.bare, figure.base, ...cloth, figure.over], width, height, step);
  return {
    subject: outlinesOf(subject, 1.5),
    cloth: outlinesOf(worn, 0.7),
    front: outlinesOf(both(worn, front), 0.8),
  };
}
