import type { Raster } from '../drawing/rasterise.js';
import type { Point } from '../drawing/geometry.js';

/** A grid of vertices that carries a picture: rows of equal length. */
export interface Mesh {
  /** Pixel positions in the source raster. */
  readonly source: readonly (readonly Point[])[];
  /** Pixel positions on the canvas. */
  readonly target: readonly (readonly Point[])[];
}

export const blank = (width: number, height: number): Raster => ({
  data: new Uint8Array(width * height * 4),
  width,
  height,
});

interface Corner {
  readonly s: Point;
  readonly t: Point;
}

/** Bilinear, premultiplied, laid over what the canvas already has. */
function sampleOver(canvas: Raster, at: number, source: Raster, sx: number, sy: number): void {
  const [right, bottom] = [source.width - 1.001, source.height - 1.001];
  const x = sx < 0 ? 0 : sx > right ? right : sx;
  const y = sy < 0 ? 0 : sy > bottom ? bottom : sy;
  const [x0, y0] = [x | 0, y | 0];
  const [fx, fy] = [x - x0, y - y0];
  const d = source.data;
  let [r, g, b, a] = [0, 0, 0, 0];
  for (let k = 0; k < 4; k++) {
    const i = ((y0 + (k >> 1)) * source.width + x0 + (k & 1)) * 4;
    const weight = (k & 1 ? fx : 1 - fx) * (k >> 1 ? fy : 1 - fy) * (d[i + 3] ?? 0);
    r += (d[i] ?? 0) * weight;
    g += (d[i + 1] ?? 0) * weight;
    b += (d[i + 2] ?? 0) * weight;
    a += weight;
  }
  if (a < 1) return;
  const out = canvas.data;
  const under = ((out[at + 3] ?? 0) * (255 - a)) / 255;
  const total = a + under;
  out[at] = (r + (out[at] ?? 0) * under) / total;
  out[at + 1] = (g + (out[at + 1] ?? 0) * under) / total;
  out[at + 2] = (b + (out[at + 2] ?? 0) * under) / total;
  out[at + 3] = total;
}

function triangle(canvas: Raster, source: Raster, p: Corner, q: Corner, r: Corner, done: Uint8Array): void {
  const [ax, ay] = p.t;
  const [bx, by] = q.t;
  const [cx, cy] = r.t;
  const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  if (Math.abs(area) < 1e-6) return;
  const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5));
  const bottom = Math.min(canvas.height - 1, Math.floor(Math.max(ay, by, cy) + 0.5));
  const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5));
  const right = Math.min(canvas.width - 1, Math.floor(Math.max(ax, bx, cx) + 0.5));
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) {
      const u = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / area;
      const v = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / area;
      if (u < -1e-4 || v < -1e-4 || u + v > 1.0001) continue;
      const at = y * canvas.width + x;
      // Neighbouring triangles share the pixels of their edge. The second triangle must not be laid over the
      // first.
      if (done[at]) continue;
      done[at] = 1;
      const w = 1 - u - v;
      const sx = p.s[0] * w + q.s[0] * u + r.s[0] * v;
      const sy = p.s[1] * w + q.s[1] * u + r.s[1] * v;
      sampleOver(canvas, at * 4, source, sx, sy);
    }
  }
}

/** Draws the source through the mesh onto the canvas. */
export function drawMesh(canvas: Raster, source: Raster, mesh: Mesh): void {
  const done = new Uint8Array(canvas.width * canvas.height);
  for (let j = 0; j + 1 < mesh.source.length; j++) {
    const [s0, s1, t0, t1] = [mesh.source[j], mesh.source[j + 1], mesh.target[j], mesh.target[j + 1]];
    if (!s0 || !s1 || !t0 || !t1) continue;
    for (let i = 0; i + 1 < s0.length; i++) {
      const corner = (s: readonly Point[], t: readonly Point[], k: number): Corner => ({
        s: s[k] ?? [0, 0],
        t: t[k] ?? [0, 0],
      });
      const [a, b, c, d] = [
        corner(s0, t0, i),
        corner(s0, t0, i + 1),
        corner(s1, t1, i),
        corner(s1, t1, i + 1),
      ];
      triangle(canvas, source, a, b, c, done);
      triangle(canvas, source, b, d, c, done);
    }
  }
}
