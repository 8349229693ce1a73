import { parseHex } from '../drawing/colour.js';
import { smoothstep } from '../drawing/geometry.js';
import { imageOf, rasterOf, type Raster } from '../drawing/rasterise.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import { pigment } from '../raster/paper.js';

/** The wash is soft, so it is computed at this size and enlarged. */
const SIDE = 420;

/**
 * A loose watercolour wash behind the figure: a tall shape whose rim wanders with the paper. It dries darker at
 * its edge and is grainy inside.
 * @param bottom the height at which the wash fades out, as a share of the whole height
 */
export async function paintWash(
  colour: string,
  random: SeededRandom,
  width: number,
  height: number,
  bottom: number,
): Promise<Raster> {
  const shrink = Math.max(width, height) / SIDE;
  const [w, h] = [Math.round(width / shrink), Math.round(height / shrink)];
  const [red, green, blue] = parseHex(colour);
  const data = Buffer.alloc(w * h * 4);
  const shift = Math.floor(random.between(0, 500));
  const lean = random.wobble(0.16);
  const centre = 0.5 + random.wobble(0.05);
  const breadth = Math.min(0.4, (0.36 * height) / width) * random.between(0.9, 1.08);
  for (let y = 0; y < h; y++) {
    const v = y / h;
    for (let x = 0; x < w; x++) {
      const u = x / w;
      const noise = pigment(x * 1.1 + shift, y * 0.8 + shift);
      const fine = pigment(x * 3.1, y * 2.7 + shift);
      const across = Math.abs(u - centre - lean * (0.5 - v)) / breadth;
      const down = Math.max((0.1 - v) / 0.1, (v - bottom) / 0.1, 0);
      // 1 in the middle, 0 at the rim; noise moves the rim.
      const depth = 1 - Math.max(across, down) + noise * 0.34 + fine * 0.07;
      const body = smoothstep(0, 0.07, depth);
      const rim = body * (1 - smoothstep(0.03, 0.22, depth));
      const flow = 0.3 + 0.12 * noise + 0.16 * (1 - v);
      const i = (y * w + x) * 4;
      data[i] = red;
      data[i + 1] = green;
      data[i + 2] = blue;
      data[i + 3] = 255 * Math.min(0.75, Math.max(0, body * flow + rim * 0.22));
    }
  }
  const small = imageOf({ data, width: w, height: h });
  return rasterOf(small.resize(width, height, { fit: 'fill', kernel: 'cubic' }));
}
