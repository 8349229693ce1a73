import type { CutOut } from '../cutout/cut-out.js';
import type { Raster } from '../drawing/rasterise.js';
import type { Point } from '../drawing/geometry.js';
import type { Fit } from './fit.js';
import { boxedLayers } from './boxed-layer.js';
import type { Framing } from './framing.js';
import { flatten, type Layer } from '../scene.js';

/** The pixels of a part, widened by `grow` on each side, so that neighbours overlap at the seam. */
function reached(owns: Uint8Array, { width, height }: CutOut['mask'], grow: number): Uint8Array {
  const data = new Uint8Array(owns.length);
  for (let y = 0; y < height; y++) {
    const row = y * width;
    for (let x = 0; x < width; x++) {
      const left = x < grow ? 0 : x - grow;
      const right = x + grow >= width ? width - 1 : x + grow;
      data[row + x] = owns[row + x] || owns[row + left] || owns[row + right] ? 1 : 0;
    }
  }
  return data;
}

/** The cut-out with the pixels of other parts made transparent. */
function partOf({ raster, mask }: CutOut, owns: Uint8Array, grow: number): Raster {
  const { width, height } = raster;
  const data = new Uint8Array(raster.data);
  const scale = mask.width / width;
  const own = reached(owns, mask, grow);
  const columns = Int32Array.from({ length: width }, (_, x) =>
    Math.min(mask.width - 1, Math.round(x * scale)),
  );
  for (let y = 0; y < height; y++) {
    const row = Math.min(mask.height - 1, Math.round(y * scale)) * mask.width;
    for (let x = 0; x < width; x++) {
      const i = (y * width + x) * 4 + 3;
      if (data[i] && !own[row + (columns[x] ?? 0)]) data[i] = 0;
    }
  }
  return { data, width, height };
}

/**
 * Lays the garment over the figure: one transparent layer of the canvas's size, shaded as if a body were in it.
 */
export async function dress(
  cutOut: CutOut,
  fit: Fit,
  framing: Framing,
  width: number,
  height: number,
): Promise<Raster> {
  const ratio = cutOut.raster.width / cutOut.mask.width;
  const inPhotograph = fit.parts.map(({ part, mesh }) => ({
    part,
    mesh: {
      source: mesh.source.map((row) => row.map(([x, y]): Point => [x * ratio, y * ratio])),
      target: mesh.target,
    },
  }));
  // Each part lies on its own canvas, which is as small as possible because every pixel costs shading.
  const shaded: Layer[] = [];
  // Cuts left-out sleeves off the body, so that they do not move with it.
  const sleeved = fit.owns.left.includes(1) || fit.owns.right.includes(1);
  if (!sleeved && inPhotograph.every(({ part }) => part === 'body')) {
    const parts = inPhotograph.map(({ mesh }) => ({ raster: cutOut.raster, mesh }));
    shaded.push(...(await boxedLayers(parts, framing, width, height)));
  } else {
    for (const { part, mesh } of inPhotograph) {
      const raster = partOf(cutOut, fit.owns[part], part === 'body' ? 2 : 14);
      shaded.push(...(await boxedLayers([{ raster, mesh }], framing, width, height)));
    }
  }
  return flatten(shaded, width, height);
}
