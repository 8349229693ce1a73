import sharp from 'sharp';
import type { Raster } from '../drawing/rasterise.js';
import { element, type SvgSheet } from '../drawing/svg-sheet.js';
import type { Reading } from './reading.js';
import { LAMP } from './recipe-plan.js';
import type { Recipe } from './recipe.js';
import { lightColour, line } from './recipe-pen.js';

/** The frame that shows the picture's layout: left, top, longest sides. */
const FRAME = { x: 56, y: 56, width: 400, height: 560 };

export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function frameFor({ width, height }: { width: number; height: number }): Frame {
  const scale = Math.min(FRAME.width / width, FRAME.height / height);
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  return { x: FRAME.x + Math.round((FRAME.width - w) / 2), y: FRAME.y, width: w, height: h };
}

/** The subject as a flat wash in the frame, as it stands in the photograph. */
export async function silhouette(
  reading: Reading,
  frame: Frame,
  colours: readonly string[],
): Promise<Raster> {
  const { mask } = reading.subject;
  const grey = Buffer.from(mask.data.map((v) => v * 205));
  const alpha = await sharp(grey, { raw: { width: mask.width, height: mask.height, channels: 1 } })
    .blur(1)
    .resize(frame.width, frame.height, { fit: 'fill', kernel: 'cubic' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  const tint = Number.parseInt((colours[0] ?? '#7d766d').slice(1), 16);
  const data = new Uint8Array(frame.width * frame.height * 4);
  for (let i = 0; i < alpha.length; i++) {
    data[i * 4] = (tint >> 16) & 255;
    data[i * 4 + 1] = (tint >> 8) & 255;
    data[i * 4 + 2] = tint & 255;
    data[i * 4 + 3] = alpha[i] ?? 0;
  }
  return { data, width: frame.width, height: frame.height };
}

/** The frame with the ground's colours and the fall of the light. */
export function drawFrame(sheet: SvgSheet, frame: Frame, recipe: Recipe): string {
  const { x, y, width, height } = frame;
  const [first = '#e6e0d6', last = first] = [recipe.ground[0], recipe.ground[recipe.ground.length - 1]];
  const ground = sheet.linear(0, y, 0, y + height, [
    [0, first],
    [0.62, first],
    [0.8, last],
    [1, last],
  ]);
  const [lx, ly] = LAMP[recipe.light.direction];
  const above = recipe.light.direction.startsWith('upper') || recipe.light.direction === 'above';
  const cx = x + width * (0.5 + 0.62 * lx);
  const cy = above ? y - height * 0.04 : y + height * (0.42 + 0.1 * ly);
  const glow = sheet.radial(cx, cy, Math.max(width, height) * 0.72, [
    [0, lightColour(recipe.light.kelvin), 0.25 + 0.7 * recipe.light.contrast],
    [0.55, lightColour(recipe.light.kelvin), 0.12],
    [1, lightColour(recipe.light.kelvin), 0],
  ]);
  const box = { x, y, width, height };
  return element('rect', { ...box, fill: ground }) + element('rect', { ...box, fill: glow });
}

export const corners = ({ x, y, width, height }: Frame): string => {
  const arm = 26;
  const [r, b] = [x + width, y + height];
  return line(
    `M${x} ${y + arm}V${y}H${x + arm}M${r - arm} ${y}H${r}V${y + arm}M${r} ${b - arm}V${b}H${r - arm}M${x + arm} ${b}H${x}V${b - arm}`,
    3.4,
  );
};
