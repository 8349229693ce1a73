import sharp, { type OverlayOptions } from 'sharp';
import type { Point } from './drawing/geometry.js';
import { rasterise, type Raster } from './drawing/rasterise.js';
import { group, SvgSheet } from './drawing/svg-sheet.js';
import type { FigureSpec } from './casting/figure-spec.js';
import type { Framing } from './dressing/dress.js';
import { paletteOf, type Pens } from './figure/pens.js';
import { watercolour } from './raster/paper.js';
import { drawTestMark } from './test-mark.js';

/** Draws SVG given in figure units onto a transparent canvas. */
export async function figureLayer(
  spec: FigureSpec,
  framing: Framing,
  width: number,
  height: number,
  draw: (pens: Pens) => string,
): Promise<Raster> {
  const sheet = new SvgSheet();
  const pens: Pens = {
    sheet,
    palette: paletteOf(spec),
    random: spec.random.fork('pen'),
    fine: 0.85 / framing.scale,
  };
  const transform = `translate(${framing.x.toFixed(2)} ${framing.y.toFixed(2)}) scale(${framing.scale.toFixed(5)})`;
  const body = draw(pens);
  const layer = await rasterise(sheet.document(width, height, group({ transform }, body)));
  watercolour(layer, 7, 3, Math.max(width, height) / 1024, 90);
  return layer;
}

/** Lays layers over each other, gives the sheet its grain, and marks pictures of the test environment. */
export async function compose(layers: readonly Raster[], testMark: boolean): Promise<Raster> {
  const [first, ...rest] = layers;
  if (!first) throw new RangeError('a picture needs a layer');
  const { width, height } = first;
  const over: OverlayOptions[] = rest.map((layer) => ({
    input: Buffer.from(layer.data),
    raw: { width: layer.width, height: layer.height, channels: 4 },
  }));
  const data = await sharp(first.data, { raw: { width, height, channels: 4 } })
    .composite(over)
    .raw()
    .toBuffer();
  const sheet: Raster = { data, width, height };
  watercolour(sheet, 2, 3.2, Math.max(width, height) / 1024);
  if (!testMark) return sheet;
  const marked = new SvgSheet().document(width, height, drawTestMark(width, height));
  const finished = await sharp(data, { raw: { width, height, channels: 4 } })
    .composite([{ input: Buffer.from(marked) }])
    .raw()
    .toBuffer();
  return { data: finished, width, height };
}

/** Frames the figure between two heights (figure units) so that it fills `share` of the canvas's height. */
export function frame(
  width: number,
  height: number,
  top: number,
  bottom: number,
  share: number,
  at: number,
): Framing {
  const scale = (height * share) / (bottom - top);
  return { scale, x: width / 2, y: height * at - top * scale };
}

/** The same view on a canvas `ratio` times as large. */
export const scaled = ({ scale, x, y }: Framing, ratio: number): Framing => ({
  scale: scale * ratio,
  x: x * ratio,
  y: y * ratio,
});

/** A layer at another size, for previews. */
export async function resized(layer: Raster, width: number, height: number): Promise<Raster> {
  if (layer.width === width) return layer;
  const data = await sharp(layer.data, { raw: { width: layer.width, height: layer.height, channels: 4 } })
    .resize(width, height, { fit: 'fill' })
    .raw()
    .toBuffer();
  return { data, width, height };
}

export const soles = (framing: Framing, feet: readonly Point[]): Point[] =>
  feet.map(([x, y]) => [framing.x + x * framing.scale, framing.y + y * framing.scale]);
