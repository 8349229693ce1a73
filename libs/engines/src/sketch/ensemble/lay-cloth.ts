import type { Canvas } from '../composition/subject.js';
import { boxedLayers } from '../dressing/boxed-layer.js';
import { dress, type Framing } from '../dressing/dress.js';
import type { Point } from '../drawing/geometry.js';
import type { Rig } from '../figure/rig.js';
import type { Layer } from '../scene.js';
import type { Clad } from './dress-all.js';
import { carriedBy } from './wear-drawn.js';

/** One garment as it lies on the figure, back to front. */
export async function layOne(
  clad: Clad,
  rig: Rig,
  framing: Framing,
  { width, height }: Canvas,
): Promise<Layer[]> {
  const { garment, fit, sleeves } = clad;
  if (garment.drawn) {
    const layers: Layer[] = [];
    for (const parts of carriedBy(garment.drawn, rig, clad))
      layers.push(...(await boxedLayers(parts, framing, width, height)));
    return layers;
  }
  const parts = sleeves ? fit.parts : fit.parts.filter(({ part }) => part === 'body');
  if (fit.owns.left.includes(1) || fit.owns.right.includes(1))
    return [await dress(garment.cut, { ...fit, parts }, framing, width, height)];
  const ratio = garment.cut.raster.width / garment.cut.mask.width;
  const carried = parts.map(({ mesh }) => ({
    raster: garment.cut.raster,
    mesh: { ...mesh, source: mesh.source.map((row) => row.map(([x, y]): Point => [x * ratio, y * ratio])) },
  }));
  return boxedLayers(carried, framing, width, height);
}
