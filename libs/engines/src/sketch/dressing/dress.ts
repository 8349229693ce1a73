import sharp, { type OverlayOptions } from 'sharp';
import type { CutOut } from '../cutout/cut-out.js';
import type { Raster } from '../drawing/rasterise.js';
import type { Point } from '../drawing/geometry.js';
import type { Fit } from './fit.js';
import { blank, drawMesh } from './mesh.js';
import { inkEdge, modelForm } from './form.js';

/** Figure units to pixels of the canvas. */
export interface Framing {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export const toPixels = ({ scale, x, y }: Framing, [px, py]: Point): Point => [
  x + px * scale,
  y + py * scale,
];

/** The cut-out with all pixels that belong to other parts made clear. */
function partOf({ raster, mask }: CutOut, owns: Uint8Array, grow: number): Raster {
  const { width, height } = raster;
  const data = new Uint8Array(raster.data);
  const scale = mask.width / width;
  const owned = (x: number, y: number): boolean => {
    for (const dx of [0, -grow, grow]) {
      const column = Math.min(mask.width - 1, Math.max(0, Math.round(x * scale) + dx));
      const row = Math.min(mask.height - 1, Math.max(0, Math.round(y * scale)));
      if (owns[row * mask.width + column]) return true;
    }
    return false;
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = (y * width + x) * 4 + 3;
      if ((data[i] ?? 0) > 0 && !owned(x, y)) data[i] = 0;
    }
  }
  return { data, width, height };
}

/**
 * Lays the garment over the figure: one transparent layer of the canvas's size, shaded as a body in it would be.
 */
export async function dress(
  cutOut: CutOut,
  fit: Fit,
  framing: Framing,
  width: number,
  height: number,
): Promise<Raster> {
  const ratio = cutOut.raster.width / cutOut.mask.width;
  const layers: Buffer[] = [];
  const whole = fit.parts.every(({ part }) => part === 'body');
  const canvas = blank(width, height);
  for (const { part, mesh } of fit.parts) {
    const layer = whole ? canvas : blank(width, height);
    const source = whole ? cutOut.raster : partOf(cutOut, fit.owns[part], part === 'body' ? 2 : 14);
    drawMesh(layer, source, {
      source: mesh.source.map((row) => row.map(([x, y]): Point => [x * ratio, y * ratio])),
      target: mesh.target.map((row) => row.map((p) => toPixels(framing, p))),
    });
    if (!whole) layers.push(Buffer.from(layer.data));
  }
  if (whole) layers.push(Buffer.from(canvas.data));
  const raw = { width, height, channels: 4 as const };
  const shaded: OverlayOptions[] = [];
  for (const layer of layers) {
    const formed = await modelForm({ data: layer, width, height }, framing.scale);
    shaded.push({ input: await inkEdge(formed, framing.scale), raw });
    shaded.push({ input: Buffer.from(formed.data), raw });
  }
  const { data } = await sharp({ create: { width, height, channels: 4, background: '#00000000' } })
    .composite(shaded)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width, height };
}
