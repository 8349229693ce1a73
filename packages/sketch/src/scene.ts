import sharp, { type OverlayOptions } from 'sharp';
import type { Point } from './drawing/geometry.js';
import { imageOf, rasterise, rasterOf, type Raster } from './drawing/rasterise.js';
import { group, SvgSheet, element, path } from './drawing/svg-sheet.js';
import type { FigureSpec } from './casting/figure-spec.js';
import { toPixels, type Framing } from './dressing/framing.js';
import { paletteOf, type Pens } from './figure/pens.js';
import type { Rig } from './figure/rig.js';
import { watercolour } from './raster/paper.js';

/** The letters of the mark as strokes on a 10 × 14 grid, so that no font of the machine is needed. */
const LETTERS: Readonly<Record<string, string>> = {
  T: 'M0 0H10M5 0V14',
  E: 'M9.4 0H0.6V14H9.4M0.6 7H7.6',
  S: 'M9.4 2.2C8.4 0.6 6.8 0 5 0C2.4 0 0.6 1.4 0.6 3.6C0.6 8.2 9.6 5.6 9.6 10.4C9.6 12.6 7.6 14 5 14C3 14 1.2 13.2 0.4 11.6',
};

/** A small ribbon across the upper right corner that says TEST. Pixels. */
function drawTestMark(width: number, height: number): string {
  const unit = Math.min(width, height) / 100;
  const letter = (name: string, index: number): string =>
    path(LETTERS[name] ?? '', {
      transform: `translate(${index * 16} 0)`,
      fill: 'none',
      stroke: '#fdf8f0',
      'stroke-width': 2.1,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    });
  const word = ['T', 'E', 'S', 'T'].map(letter).join('');
  const ribbon = [
    element('rect', {
      x: -22 * unit,
      y: -3.4 * unit,
      width: 44 * unit,
      height: 6.8 * unit,
      fill: '#a2433c',
      'fill-opacity': 0.9,
    }),
    element('rect', {
      x: -22 * unit,
      y: -2.8 * unit,
      width: 44 * unit,
      height: 0.25 * unit,
      fill: '#fdf8f0',
      'fill-opacity': 0.7,
    }),
    element('rect', {
      x: -22 * unit,
      y: 2.55 * unit,
      width: 44 * unit,
      height: 0.25 * unit,
      fill: '#fdf8f0',
      'fill-opacity': 0.7,
    }),
    group({ transform: `scale(${(unit * 0.235).toFixed(4)}) translate(-29 -7)` }, word),
  ];
  return group({ transform: `translate(${width - 10 * unit} ${10 * unit}) rotate(45)` }, ...ribbon);
}

const pensFor = (spec: FigureSpec, { scale }: Framing): Pens => ({
  sheet: new SvgSheet(),
  palette: paletteOf(spec),
  random: spec.random.fork('pen'),
  fine: 0.85 / scale,
});

/** Draws SVG given in figure units onto a transparent canvas. */
export async function figureLayer(
  spec: FigureSpec,
  framing: Framing,
  width: number,
  height: number,
  draw: (pens: Pens) => string,
): Promise<Raster> {
  const pens = pensFor(spec, framing);
  const transform = `translate(${framing.x.toFixed(2)} ${framing.y.toFixed(2)}) scale(${framing.scale.toFixed(5)})`;
  const body = draw(pens);
  const layer = await rasterise(pens.sheet.document(width, height, group({ transform }, body)));
  watercolour(layer, 7, 3, Math.max(width, height) / 1024, 90);
  return layer;
}

/** A raster that covers a part of the canvas. Without a place it begins at the upper left corner. */
export interface Layer extends Raster {
  readonly left?: number;
  readonly top?: number;
}

/** One part of a drawing in figure units, and the rectangle (figure units) that holds all of it. */
export interface DrawnPart {
  readonly svg: string;
  readonly from: Point;
  readonly to: Point;
}

/**
 * Draws several parts of one figure with the same pens. Each part gets a layer that is no larger than it needs,
 * so a head does not cost the canvas below it.
 */
export async function figureLayers<K extends string>(
  spec: FigureSpec,
  framing: Framing,
  width: number,
  height: number,
  draw: (pens: Pens) => Readonly<Record<K, DrawnPart | undefined>>,
): Promise<Record<K, Layer | undefined>> {
  const pens = pensFor(spec, framing);
  const { x, y, scale } = framing;
  const parts = draw(pens);
  const layers: Partial<Record<K, Layer | undefined>> = {};
  // The cast is safe although Object.keys returns strings: the record's keys are the caller's own.
  for (const name of Object.keys(parts) as K[]) {
    const part = parts[name];
    const left = Math.max(0, Math.floor(x + (part?.from[0] ?? 0) * scale));
    const top = Math.max(0, Math.floor(y + (part?.from[1] ?? 0) * scale));
    const right = Math.min(width, Math.ceil(x + (part?.to[0] ?? 0) * scale));
    const bottom = Math.min(height, Math.ceil(y + (part?.to[1] ?? 0) * scale));
    if (!part?.svg || right <= left || bottom <= top) continue;
    const transform = `translate(${(x - left).toFixed(2)} ${(y - top).toFixed(2)}) scale(${scale.toFixed(5)})`;
    const layer = await rasterise(
      pens.sheet.document(right - left, bottom - top, group({ transform }, part.svg)),
    );
    watercolour(layer, 7, 3, Math.max(width, height) / 1024, 90);
    layers[name] = { ...layer, left, top };
  }
  // The code above fills this for every name that has something to draw.
  return layers as Record<K, Layer | undefined>;
}

const overlay = (layer: Layer): OverlayOptions => ({
  input: Buffer.from(layer.data.buffer, layer.data.byteOffset, layer.data.byteLength),
  raw: { width: layer.width, height: layer.height, channels: 4 },
  left: layer.left ?? 0,
  top: layer.top ?? 0,
});

/** Several layers as one transparent layer of the canvas's size. */
export async function flatten(layers: readonly Layer[], width: number, height: number): Promise<Raster> {
  const clear = sharp({ create: { width, height, channels: 4, background: '#00000000' } });
  return rasterOf(clear.composite(layers.map(overlay)));
}

/** Lays layers over each other, gives the sheet its grain, and marks pictures of the test environment. */
export async function compose(layers: readonly Layer[], testMark: boolean): Promise<Raster> {
  const [first, ...rest] = layers;
  if (!first) throw new RangeError('a picture needs a layer');
  const sheet = await rasterOf(imageOf(first).composite(rest.map(overlay)));
  watercolour(sheet, 2, 3.2, Math.max(sheet.width, sheet.height) / 1024);
  return marked(sheet, testMark);
}

/** The mark of the test environment for a picture of this size, as SVG that is laid over the picture. */
export function testMarkSvg(width: number, height: number): string {
  return new SvgSheet().document(width, height, drawTestMark(width, height));
}

/** A finished picture, unchanged or with the mark of the test environment. */
export async function marked(sheet: Raster, testMark: boolean): Promise<Raster> {
  if (!testMark) return sheet;
  const ribbon = Buffer.from(testMarkSvg(sheet.width, sheet.height));
  return rasterOf(imageOf(sheet).composite([{ input: ribbon }]));
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

/** The middles of both soles, in pixels. */
export const soles = (framing: Framing, { legs }: Rig): Point[] =>
  [legs.left, legs.right].map((leg) => {
    const [x, y] = leg.point(1, 0);
    return toPixels(framing, [x, y + 70]);
  });
