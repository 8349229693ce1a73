import sharp from 'sharp';
import { planeOf } from '../cutout/mask.js';
import type { Raster } from '../drawing/rasterise.js';
import { clamp, lerp } from '../drawing/geometry.js';
import { toLab } from '../drawing/colour.js';

/** How a subject is lit. */
export interface Light {
  /** Direction to the light on the page: x to the right, y downward, length 0 (frontal) to 1. */
  readonly from: readonly [x: number, y: number];
  /** 0 leaves the drawing's own shading alone, 1 is a hard side light. */
  readonly contrast: number;
  /** Factors of red, green and blue. */
  readonly tint: readonly [number, number, number];
}

export const NEUTRAL: Light = { from: [0, 0], contrast: 0, tint: [1, 1, 1] };

export const isNeutral = ({ contrast, tint }: Light): boolean =>
  contrast < 0.02 && tint.every((gain) => Math.abs(gain - 1) < 0.005);

/**
 * Factors that turn daylight of 5,600 K into light of another temperature. Strong colours are toned down, as a
 * camera does.
 */
export function temperatureTint(kelvin: number): readonly [number, number, number] {
  // Warmth is measured in mireds, in which equal steps look equal.
  const shift = clamp((1e6 / kelvin - 1e6 / 5600) / 150, -1, 1);
  return [1 + 0.1 * shift, 1 + 0.012 * shift, 1 - 0.15 * shift];
}

/** A subject takes on part of the brightness and colour of its place. */
export function ambientTint(mean: readonly [number, number, number]): readonly [number, number, number] {
  const [l, a, b] = toLab(mean);
  const level = lerp(1, clamp((l + 12) / 84, 0.7, 1.04), 0.6);
  const grey = (mean[0] + mean[1] + mean[2]) / 3;
  const colour = Math.min(0.16, Math.hypot(a, b) / 160);
  return [0, 1, 2].map((c) => level * lerp(1, (mean[c] ?? grey) / Math.max(24, grey), colour)) as unknown as [
    number,
    number,
    number,
  ];
}

export const times = (
  a: readonly [number, number, number],
  b: readonly [number, number, number],
): [number, number, number] => [a[0] * b[0], a[1] * b[1], a[2] * b[2]];

/** Typed arrays wrap around beyond 255. */
const capped = (value: number): number => (value > 255 ? 255 : value);

/** Small planes of softened opacity. Their slope approximates the direction of a rounded body's surface. */
async function roundness(
  subject: Raster,
  sigma: number,
): Promise<{ plane: Uint8Array; w: number; h: number; step: number }> {
  const step = 4;
  const [w, h] = [Math.ceil(subject.width / step), Math.ceil(subject.height / step)];
  const alpha = Buffer.alloc(w * h);
  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++)
      alpha[y * w + x] =
        subject.data[
          (Math.min(subject.height - 1, y * step) * subject.width + Math.min(subject.width - 1, x * step)) *
            4 +
            3
        ] ?? 0;
  const grey = sharp(alpha, { raw: { width: w, height: h, channels: 1 } });
  const plane = await planeOf(grey.blur(Math.max(0.5, sigma / step)));
  return { plane, w, h, step };
}

/**
 * Lights a transparent layer in place: surfaces that face away from the light get darker, surfaces that face it
 * get brighter, and all take the light's colour.
 * @param scale pixels per figure unit
 */
export async function relight(subject: Raster, light: Light, scale: number): Promise<void> {
  const { data, width, height } = subject;
  const [lx, ly] = light.from;
  const { plane, w, h, step } = await roundness(subject, 13 * scale);
  const reach = Math.max(1, Math.round((9 * scale) / step));
  const within = (v: number, last: number): number => (v < 0 ? 0 : v > last ? last : v);
  const at = (x: number, y: number): number => plane[within(y, h - 1) * w + within(x, w - 1)] ?? 0;
  const [r, g, b] = light.tint;
  for (let y = 0; y < height; y++) {
    const py = within((y / step) | 0, h - 1);
    for (let x = 0; x < width; x++) {
      const i = (y * width + x) * 4;
      if (!data[i + 3]) continue;
      const px = within((x / step) | 0, w - 1);
      // Opacity rises inward, so the surface faces the side on which it falls.
      const nx = (at(px - reach, py) - at(px + reach, py)) / 128;
      const ny = (at(px, py - reach) - at(px, py + reach)) / 128;
      const slope = nx * lx + ny * ly;
      const toward = (slope < -1 ? -1 : slope > 1 ? 1 : slope) * light.contrast;
      const gain = toward < 0 ? 1 + toward * 0.62 : 1 + toward * 0.2;
      data[i] = capped((data[i] ?? 0) * gain * r);
      data[i + 1] = capped((data[i + 1] ?? 0) * gain * g);
      // Shade keeps a little of the sky.
      data[i + 2] = capped((data[i + 2] ?? 0) * gain * b * (toward < 0 ? 1 - toward * 0.06 : 1));
    }
  }
}

/** Mean colour of an opaque raster, sampled sparsely. */
export function meanColour({ data, width, height }: Raster): [number, number, number] {
  let [r, g, b, n] = [0, 0, 0, 0];
  const step = Math.max(1, Math.round(Math.sqrt((width * height) / 4000)));
  for (let y = 0; y < height; y += step) {
    for (let x = 0; x < width; x += step) {
      const i = (y * width + x) * 4;
      r += data[i] ?? 0;
      g += data[i + 1] ?? 0;
      b += data[i + 2] ?? 0;
      n++;
    }
  }
  return [r / n, g / n, b / n];
}

/**
 * Lights a background in place. It gets brighter on the light's side, and takes on part of the light's colour.
 */
export function lightPlace({ data, width, height }: Raster, { from, contrast, tint }: Light): void {
  const [lx, ly] = from;
  const colour = tint.map((gain) => lerp(1, gain, 0.75));
  const [r = 1, g = 1, b = 1] = colour;
  for (let y = 0; y < height; y++) {
    const down = (2 * y) / height - 1;
    for (let x = 0; x < width; x++) {
      const i = (y * width + x) * 4;
      const gain = 1 + contrast * 0.2 * (((2 * x) / width - 1) * lx + down * ly) - contrast * 0.05;
      data[i] = capped((data[i] ?? 0) * gain * r);
      data[i + 1] = capped((data[i + 1] ?? 0) * gain * g);
      data[i + 2] = capped((data[i + 2] ?? 0) * gain * b);
    }
  }
}
