import sharp from 'sharp';
import { components, halfway, select, type Mask } from '../cutout/mask.js';
import type { Point } from '../drawing/geometry.js';
import { points } from '../drawing/points.js';
import type { Layer } from '../scene.js';

/** Outlines are kept in units of a thousandth of the picture's height, x from its left edge. */
const UNITS = 1000;

/** Samples, every `step` pixels, whether one of the layers is more than half opaque. */
export function opaque(
  layers: readonly (Layer | undefined)[],
  width: number,
  height: number,
  step: number,
): Mask {
  const [w, h] = [Math.floor(width / step), Math.floor(height / step)];
  const data = new Uint8Array(w * h);
  for (const layer of layers) {
    if (!layer) continue;
    const [left, top] = [layer.left ?? 0, layer.top ?? 0];
    for (let y = Math.ceil(top / step); y < h && y * step < top + layer.height; y++) {
      const row = (y * step - top) * layer.width;
      for (let x = Math.ceil(left / step); x < w && x * step < left + layer.width; x++)
        if ((layer.data[(row + x * step - left) * 4 + 3] ?? 0) > 127) data[y * w + x] = 1;
    }
  }
  return { data, width: w, height: h };
}

/**
 * Follows the edge between inside and outside along the pixels' corners until it closes. Inside is on the
 * right.
 */
function follow(inside: (x: number, y: number) => boolean, start: Point, seen: Set<string>): Point[] {
  const STEPS = points('1 0, 0 1, -1 0, 0 -1');
  // For each of the four directions: the pixels ahead of the corner, to the right and to the left.
  const RIGHT = points('0 0, -1 0, -1 -1, 0 -1');
  const line: Point[] = [];
  let [x, y] = start;
  let heading = 0;
  do {
    line.push([x, y]);
    if (heading === 0) seen.add(`${x},${y}`);
    const [dx, dy] = STEPS[heading] ?? [1, 0];
    x += dx;
    y += dy;
    const right = RIGHT[heading] ?? [0, 0];
    const left = RIGHT[(heading + 3) % 4] ?? [0, 0];
    if (inside(x + left[0], y + left[1])) heading = (heading + 3) % 4;
    else if (!inside(x + right[0], y + right[1])) heading = (heading + 1) % 4;
  } while (x !== start[0] || y !== start[1] || heading !== 0);
  return line;
}

/** The algorithm of Douglas and Peucker: drops points within `tolerance` of the line between kept points. */
function simplified(line: readonly Point[], tolerance: number): Point[] {
  const keep = new Uint8Array(line.length);
  const open: [number, number][] = [[0, line.length - 1]];
  keep[0] = keep[line.length - 1] = 1;
  for (let span = open.pop(); span; span = open.pop()) {
    const [from, to] = span;
    const [a, b] = [line[from] ?? [0, 0], line[to] ?? [0, 0]];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    let [most, at] = [tolerance, -1];
    for (let i = from + 1; i < to; i++) {
      const [x, y] = line[i] ?? a;
      const off =
        length < 1e-9
          ? Math.hypot(x - a[0], y - a[1])
          : Math.abs((x - a[0]) * (b[1] - a[1]) - (y - a[1]) * (b[0] - a[0])) / length;
      if (off > most) [most, at] = [off, i];
    }
    if (at < 0) continue;
    keep[at] = 1;
    open.push([from, at], [at, to]);
  }
  return line.filter((_, i) => keep[i]);
}

/**
 * The mask's contours, outer ones and holes, as flat lists of coordinates. An event may hold such geometry, but
 * not a picture. Specks below a ten-thousandth of the mask are dropped.
 * @param tolerance how far a contour may stray, in pixels of the mask
 */
export function outlinesOf(mask: Mask, tolerance: number): number[][] {
  const { width, height } = mask;
  const { labels, list } = components(mask, 1);
  const large = list.filter((c) => c.area > width * height * 0.0001).map((c) => c.label);
  const { data } = select(labels, large, mask);
  const inside = (x: number, y: number): boolean =>
    x >= 0 && y >= 0 && x < width && y < height && data[y * width + x] === 1;
  const seen = new Set<string>();
  const outlines: number[][] = [];
  const unit = UNITS / height;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!inside(x, y) || inside(x, y - 1) || seen.has(`${x},${y}`)) continue;
      // Points half-way between corners make the steps of the pixels only half as high.
      const corners = follow(inside, [x, y], seen);
      const line = corners.map(([cx, cy], i): Point => {
        const [nx, ny] = corners[(i + 1) % corners.length] ?? [cx, cy];
        return [(cx + nx) / 2, (cy + ny) / 2];
      });
      const bend = simplified([...line, ...line.slice(0, 1)], tolerance);
      if (bend.length > 4)
        outlines.push(
          bend.slice(0, -1).flatMap(([px, py]) => [Math.round(px * unit), Math.round(py * unit)]),
        );
    }
  }
  return outlines;
}

const isOutline = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length >= 6 &&
  value.length % 2 === 0 &&
  value.every((n) => Number.isFinite(n));

/**
 * Turns outlines into a mask again.
 * @returns undefined if `outlinesOf` did not make the value
 */
export async function maskOf(outlines: unknown, width: number, height: number): Promise<Mask | undefined> {
  if (!Array.isArray(outlines) || outlines.length === 0 || !outlines.every(isOutline)) return undefined;
  const unit = height / UNITS;
  const d = outlines
    .map((flat: number[]) => {
      const corners: string[] = [];
      for (let i = 0; i < flat.length; i += 2)
        corners.push(`${((flat[i] ?? 0) * unit).toFixed(1)} ${((flat[i + 1] ?? 0) * unit).toFixed(1)}`);
      return `M${corners.join('L')}Z`;
    })
    .join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><path d="${d}" fill="#fff" fill-rule="evenodd"/></svg>`;
  const grey = await sharp(Buffer.from(svg)).extractChannel('alpha').raw().toBuffer();
  return { data: halfway(grey), width, height };
}
