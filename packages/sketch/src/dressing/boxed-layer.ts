import type { Raster } from '../drawing/rasterise.js';
import type { Point } from '../drawing/geometry.js';
import type { Layer } from '../scene.js';
import { inkEdge, modelForm } from './form.js';
import { toPixels, type Framing } from './framing.js';
import { blank, drawMesh, type Mesh } from './mesh.js';

/**
 * A picture and the mesh that carries it. The mesh's source is in pixels of the picture, its target in figure
 * units.
 */
export interface Carried {
  readonly raster: Raster;
  readonly mesh: Mesh;
}

/**
 * Lays pictures over the figure on a layer that is as small as possible. They are rounded like the body inside,
 * and have the pen's line and a shadow beneath.
 * @returns two layers, back to front, or none if no part of the pictures is on the canvas
 */
export async function boxedLayers(
  parts: readonly Carried[],
  framing: Framing,
  width: number,
  height: number,
): Promise<Required<Layer>[]> {
  const target = parts.map(({ mesh }) => mesh.target.map((row) => row.map((p) => toPixels(framing, p))));
  const all: Point[] = target.flat(2);
  // Room for the soft edge and the shadow.
  const margin = Math.ceil(24 * framing.scale) + 4;
  const left = Math.max(0, Math.floor(Math.min(...all.map((p) => p[0]))) - margin);
  const top = Math.max(0, Math.floor(Math.min(...all.map((p) => p[1]))) - margin);
  const right = Math.min(width, Math.ceil(Math.max(...all.map((p) => p[0]))) + margin);
  const bottom = Math.min(height, Math.ceil(Math.max(...all.map((p) => p[1]))) + margin);
  if (right - left < 2 || bottom - top < 2) return [];
  const canvas = blank(right - left, bottom - top);
  parts.forEach(({ raster, mesh }, i) => {
    const moved = (target[i] ?? []).map((row) => row.map(([x, y]): Point => [x - left, y - top]));
    drawMesh(canvas, raster, { source: mesh.source, target: moved });
  });
  const formed = await modelForm(canvas, framing.scale);
  const edge = await inkEdge(formed, framing.scale);
  return [
    { data: edge, width: canvas.width, height: canvas.height, left, top },
    { ...formed, left, top },
  ];
}
