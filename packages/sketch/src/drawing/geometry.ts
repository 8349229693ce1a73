/** Positions are in figure units (a head is 100 units tall) unless a function says pixels; y grows downward. */
export type Point = readonly [x: number, y: number];

export const lerp = (a: number, b: number, t: number): number => a + (b - a) * t;

export const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));

export const smoothstep = (low: number, high: number, value: number): number => {
  const t = clamp((value - low) / (high - low), 0, 1);
  return t * t * (3 - 2 * t);
};

export const mixPoints = (a: Point, b: Point, t: number): Point => [lerp(a[0], b[0], t), lerp(a[1], b[1], t)];

export const distance = (a: Point, b: Point): number => Math.sqrt((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2);

/** Rotates clockwise on the page (y grows downward) about `centre`. */
export function rotate(point: Point, radians: number, centre: Point = [0, 0]): Point {
  const [x, y] = [point[0] - centre[0], point[1] - centre[1]];
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  return [centre[0] + x * cos - y * sin, centre[1] + x * sin + y * cos];
}

/** Reads a table of (position, value) rows, sorted by position, with smooth interpolation between rows. */
export function profile(rows: readonly Point[], at: number): number {
  const first = rows[0];
  const last = rows[rows.length - 1];
  if (!first || !last) throw new RangeError('a profile needs rows');
  if (at <= first[0]) return first[1];
  if (at >= last[0]) return last[1];
  const index = rows.findIndex((row) => row[0] >= at);
  const [p1, p2] = [rows[index - 1] ?? first, rows[index] ?? last];
  const [p0, p3] = [rows[index - 2] ?? p1, rows[index + 1] ?? p2];
  const span = p2[0] - p1[0];
  const t = (at - p1[0]) / span;
  const m1 = ((p2[1] - p0[1]) / Math.max(1e-6, p2[0] - p0[0])) * span;
  const m2 = ((p3[1] - p1[1]) / Math.max(1e-6, p3[0] - p1[0])) * span;
  const t2 = t * t;
  const t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * p1[1] + (t3 - 2 * t2 + t) * m1 + (-2 * t3 + 3 * t2) * p2[1] + (t3 - t2) * m2;
}

/** A circle as a closed line of `steps` spans. */
export const ring = ([cx, cy]: Point, r: number, steps: number): Point[] =>
  Array.from({ length: steps + 1 }, (_, i) => [
    cx + r * Math.cos((i / steps) * 6.283),
    cy + r * Math.sin((i / steps) * 6.283),
  ]);

/** −1 left, 1 right on the page. */
type Side = -1 | 1;

export const opposite = (side: Side): Side => (side === 1 ? -1 : 1);
