import sharp from 'sharp';
import { planeOf } from '../cutout/mask.js';
import type { Raster } from '../drawing/rasterise.js';

const alphaOf = ({ data, width, height }: Raster): Buffer => {
  const alpha = Buffer.alloc(width * height);
  for (let i = 0; i < alpha.length; i++) alpha[i] = data[i * 4 + 3] ?? 0;
  return alpha;
};

const blurred = (plane: Buffer, width: number, height: number, sigma: number): Promise<Buffer> =>
  planeOf(sharp(plane, { raw: { width, height, channels: 1 } }).blur(Math.max(0.4, sigma)));

/**
 * Rounds a flat garment. The slope of its blurred outline stands for the surface's normal, and light comes from
 * the upper left. Edges toward the light get a little brighter; edges away from it get darker.
 * @param scale pixels per figure unit
 */
export async function modelForm(layer: Raster, scale: number): Promise<Raster> {
  const { width, height } = layer;
  const soft = await blurred(alphaOf(layer), width, height, 11 * scale);
  const data = new Uint8Array(layer.data);
  const step = Math.max(1, Math.round(3 * scale));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      if (!data[i * 4 + 3]) continue;
      const dx = (soft[i - Math.min(x, step)] ?? 0) - (soft[i + Math.min(width - 1 - x, step)] ?? 0);
      const dy =
        (soft[i - Math.min(y, step) * width] ?? 0) - (soft[i + Math.min(height - 1 - y, step) * width] ?? 0);
      // Positive where the surface faces right and down, away from the light.
      const away = (dx * 0.86 + dy * 0.3) / 64;
      const rim = Math.max(0, 1 - (soft[i] ?? 0) / 255) * 0.07;
      const factor = away > 0 ? 1 - Math.min(0.38, away * 0.55) - rim : 1 + Math.min(0.1, -away * 0.16) - rim;
      for (let c = 0; c < 3; c++) {
        // Shade is a little cooler than light.
        const tint = away > 0 && c === 2 ? 1 + away * 0.05 : 1;
        data[i * 4 + c] = Math.min(255, (data[i * 4 + c] ?? 0) * factor * tint);
      }
    }
  }
  return { data, width, height };
}

/**
 * The pen's line around a garment, and its shadow on the layers behind. The line is heavier below and to the
 * right, because an illustrator presses harder on the shaded side.
 */
export async function inkEdge(layer: Raster, scale: number): Promise<Buffer> {
  const { width, height } = layer;
  const alpha = alphaOf(layer);
  const crisp = await blurred(alpha, width, height, 0.45 * scale);
  const cast = await blurred(alpha, width, height, 5 * scale);
  const out = Buffer.alloc(width * height * 4);
  const [heavy, light, drop] = [1.15 * scale, 0.7 * scale, 4 * scale];
  // The steps to the compared places are rounded here, because the loop below runs for every pixel.
  const step = (dx: number, dy: number): [number, number] => [Math.round(dx), Math.round(dy)];
  const [hx, hy] = step(-heavy, -heavy * 0.8);
  const [lx, ly] = step(light, light);
  const [sx, sy] = step(-drop * 0.7, -drop);
  const at = (plane: Buffer, x: number, y: number): number =>
    x < 0 || y < 0 || x >= width || y >= height ? 0 : (plane[y * width + x] ?? 0);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [away, near] = [at(crisp, x + hx, y + hy), at(crisp, x + lx, y + ly)];
      const line = (away > near ? away : near) * 0.86;
      const shadow = at(cast, x + sx, y + sy) * 0.34;
      const strength = line > shadow ? line : shadow;
      if (strength < 2) continue;
      const i = (y * width + x) * 4;
      out[i] = 40;
      out[i + 1] = 27;
      out[i + 2] = 32;
      out[i + 3] = strength;
    }
  }
  return out;
}
