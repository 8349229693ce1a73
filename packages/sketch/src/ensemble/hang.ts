import type { CutOut } from '../cutout/cut-out.js';
import { boxedLayers } from '../dressing/boxed-layer.js';
import type { Framing } from '../dressing/framing.js';
import type { Canvas } from '../composition/subject.js';
import { rotate, type Point } from '../drawing/geometry.js';
import type { Layer } from '../scene.js';

/** The place of a flat thing in figure units: its upper middle, its breadth, and its turn in radians. */
export interface Hook {
  readonly at: Point;
  readonly width: number;
  /** By default it follows from the picture's proportions. */
  readonly height?: number;
  readonly turn?: number;
}

/** The unchanged cut-out, hung somewhere on the figure, with the pen's line around it and its shadow. */
export async function hang(
  { raster }: CutOut,
  hook: Hook,
  framing: Framing,
  { width, height }: Canvas,
): Promise<Layer[]> {
  const tall = hook.height ?? (hook.width * raster.height) / raster.width;
  const corner = (u: number, v: number): Point => {
    const point: Point = [hook.at[0] + (u - 0.5) * hook.width, hook.at[1] + v * tall];
    return rotate(point, hook.turn ?? 0, hook.at);
  };
  const pixel = (u: number, v: number): Point => [u * (raster.width - 1), v * (raster.height - 1)];
  const mesh = {
    source: [
      [pixel(0, 0), pixel(1, 0)],
      [pixel(0, 1), pixel(1, 1)],
    ],
    target: [
      [corner(0, 0), corner(1, 0)],
      [corner(0, 1), corner(1, 1)],
    ],
  };
  return boxedLayers([{ raster, mesh }], framing, width, height);
}
