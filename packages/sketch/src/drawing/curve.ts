import { distance, lerp, type Point } from './geometry.js';

const pointAt = (points: readonly Point[], index: number): Point => {
  const point = points[Math.min(points.length - 1, Math.max(0, index))];
  if (!point) throw new RangeError('a curve needs points');
  return point;
};

const number = (value: number): string => String(Math.round(value * 100) / 100);

export const at = (point: Point): string => `${number(point[0])} ${number(point[1])}`;

/**
 * The two Bézier handles of the span p1–p2 of a centripetal Catmull–Rom spline. It is centripetal because the
 * uniform kind overshoots into loops between unevenly spaced landmarks, such as a wrist beside a forearm.
 */
function handles(p0: Point, p1: Point, p2: Point, p3: Point): [Point, Point] {
  const d1 = Math.max(1e-3, Math.sqrt(distance(p0, p1)));
  const d2 = Math.max(1e-3, Math.sqrt(distance(p1, p2)));
  const d3 = Math.max(1e-3, Math.sqrt(distance(p2, p3)));
  const first = (axis: 0 | 1): number =>
    (d1 * d1 * p2[axis] - d2 * d2 * p0[axis] + (2 * d1 * d1 + 3 * d1 * d2 + d2 * d2) * p1[axis]) /
    (3 * d1 * (d1 + d2));
  const second = (axis: 0 | 1): number =>
    (d3 * d3 * p1[axis] - d2 * d2 * p3[axis] + (2 * d3 * d3 + 3 * d3 * d2 + d2 * d2) * p2[axis]) /
    (3 * d3 * (d3 + d2));
  return [
    [first(0), first(1)],
    [second(0), second(1)],
  ];
}

interface Span {
  readonly from: Point;
  readonly c1: Point;
  readonly c2: Point;
  readonly to: Point;
}

function spans(points: readonly Point[], closed: boolean): Span[] {
  const count = closed ? points.length : points.length - 1;
  const wrap = (index: number): Point =>
    closed ? pointAt(points, (index + points.length) % points.length) : pointAt(points, index);
  return Array.from({ length: count }, (_, i) => {
    const [from, to] = [wrap(i), wrap(i + 1)];
    const before = !closed && i === 0 ? from : wrap(i - 1);
    const after = !closed && i === count - 1 ? to : wrap(i + 2);
    const ends: [Point, Point] = [
      distance(before, from) < 1e-6 ? [from[0] * 2 - to[0], from[1] * 2 - to[1]] : before,
      distance(after, to) < 1e-6 ? [to[0] * 2 - from[0], to[1] * 2 - from[1]] : after,
    ];
    const [c1, c2] = handles(ends[0], from, to, ends[1]);
    return { from, c1, c2, to };
  });
}

/** A flowing path through all points, as SVG path data. */
export function flow(points: readonly Point[], closed = false): string {
  const body = spans(points, closed).map((s) => `C${at(s.c1)} ${at(s.c2)} ${at(s.to)}`);
  return `M${at(pointAt(points, 0))}${body.join('')}${closed ? 'Z' : ''}`;
}

export const outline = (points: readonly Point[]): string => flow(points, true);

export const polygon = (points: readonly Point[]): string => `M${points.map(at).join('L')}Z`;

/** The same flowing path as a dense polyline. */
export function trace(points: readonly Point[], steps: number): Point[] {
  const result = [pointAt(points, 0)];
  for (const { from, c1, c2, to } of spans(points, false)) {
    for (let k = 1; k <= steps; k++) {
      const t = k / steps;
      const u = 1 - t;
      const weigh = (axis: 0 | 1): number =>
        u * u * u * from[axis] + 3 * u * u * t * c1[axis] + 3 * u * t * t * c2[axis] + t * t * t * to[axis];
      result.push([weigh(0), weigh(1)]);
    }
  }
  return result;
}

/** `count` points at equal distances along a flowing path. */
export function resample(points: readonly Point[], count: number): Point[] {
  const dense = trace(points, 10);
  const lengths = [0];
  for (let i = 1; i < dense.length; i++) {
    lengths.push((lengths[i - 1] ?? 0) + distance(pointAt(dense, i - 1), pointAt(dense, i)));
  }
  const total = lengths[lengths.length - 1] ?? 0;
  let cursor = 0;
  return Array.from({ length: count }, (_, i) => {
    const target = (total * i) / Math.max(1, count - 1);
    while (cursor < dense.length - 2 && (lengths[cursor + 1] ?? 0) < target) cursor++;
    const [start, end] = [lengths[cursor] ?? 0, lengths[cursor + 1] ?? 0];
    const t = end > start ? (target - start) / (end - start) : 0;
    const [a, b] = [pointAt(dense, cursor), pointAt(dense, cursor + 1)];
    return [lerp(a[0], b[0], t), lerp(a[1], b[1], t)];
  });
}

/** Unit normals of a polyline, to the left of its direction of travel. */
export function normals(points: readonly Point[]): Point[] {
  return points.map((_, i) => {
    const [a, b] = [pointAt(points, i - 1), pointAt(points, i + 1)];
    const length = Math.max(1e-6, distance(a, b));
    return [(b[1] - a[1]) / length, -(b[0] - a[0]) / length];
  });
}
