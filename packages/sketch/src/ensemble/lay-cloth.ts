import type { Canvas } from '../composition/subject.js';
import { boxedLayers } from '../dressing/boxed-layer.js';
import { dress, type Framing } from '../dressing/dress.js';
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
  return [await dress(garment.cut, { ...fit, parts }, framing, width, height)];
}
