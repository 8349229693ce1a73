import { blend, shade } from '../../drawing/colour.js';
import { flow, outline } from '../../drawing/curve.js';
import { lerp, type Point } from '../../drawing/geometry.js';
import type { SeededRandom } from '../../drawing/seeded-random.js';
import { path } from '../../drawing/svg-sheet.js';
import { blot, hairlines, pen, toned, weightAt, type Brush } from '../brush.js';

/** A pointed leaf from its stalk to its tip, in pixels, with its midrib. */
export function leaf(
  brush: Brush,
  from: Point,
  to: Point,
  width: number,
  colour: string,
  z: number,
  lit: number,
): string {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const across = (t: number, push: number): Point => [
    lerp(from[0], to[0], t) - dy * push,
    lerp(from[1], to[1], t) + dx * push,
  ];
  const contour = [
    from,
    across(0.3, width * 0.5),
    across(0.65, width * 0.36),
    to,
    across(0.6, -width * 0.38),
    across(0.28, -width * 0.5),
  ];
  return (
    path(outline(contour), {
      fill: toned(brush, colour, lit, z),
      stroke: toned(brush, shade(colour, -22), lit, z),
      'stroke-width': (0.8 * brush.unit).toFixed(2),
      'stroke-opacity': (0.7 * brush.pen).toFixed(2),
    }) + hairlines(brush, [[from, across(0.9, 0)]], 0.7, shade(colour, 14), 0.5)
  );
}

const ORIGIN: Point = [0, 0];

/** An arching rib with leaflets on both sides: palm, fern, areca. */
export function frond(
  brush: Brush,
  rib: readonly Point[],
  reach: number,
  colour: string,
  z: number,
  random: SeededRandom,
): string {
  const [a = ORIGIN, b = ORIGIN, c = ORIGIN] = rib;
  const at = (t: number): Point => [
    (1 - t) ** 2 * a[0] + 2 * t * (1 - t) * b[0] + t * t * c[0],
    (1 - t) ** 2 * a[1] + 2 * t * (1 - t) * b[1] + t * t * c[1],
  ];
  const many = 15;
  const tones = [toned(brush, shade(colour, 8), 0.2, z), toned(brush, shade(colour, -8), -0.2, z)];
  const leaflets = Array.from({ length: many * 2 }, (_, i) => {
    const t = 0.12 + (0.86 * (i >> 1)) / many;
    const [p, q] = [at(t), at(Math.min(1, t + 0.05))];
    const along = Math.atan2(q[1] - p[1], q[0] - p[0]);
    const turn = (i % 2 ? 1 : -1) * random.between(0.75, 1);
    const length = reach * Math.sin(Math.PI * Math.min(0.93, 0.25 + t * 0.72)) * random.between(0.85, 1.1);
    const tip: Point = [
      p[0] + Math.cos(along + turn) * length,
      p[1] + Math.sin(along + turn) * length + length * 0.22,
    ];
    const middle: Point = [
      lerp(p[0], tip[0], 0.5) + Math.cos(along) * length * 0.12,
      lerp(p[1], tip[1], 0.5) + Math.sin(along) * length * 0.12 - length * 0.06,
    ];
    const fat = length * 0.055;
    const d = `M${p[0].toFixed(1)} ${p[1].toFixed(1)}Q${(middle[0] + fat).toFixed(1)} ${(middle[1] - fat).toFixed(1)} ${tip[0].toFixed(1)} ${tip[1].toFixed(1)}Q${(middle[0] - fat).toFixed(1)} ${(middle[1] + fat).toFixed(1)} ${p[0].toFixed(1)} ${p[1].toFixed(1)}Z`;
    return path(d, { fill: tones[i % 2] });
  });
  return (
    leaflets.join('') +
    pen(brush, [a, at(0.5), c], weightAt(z, 1.3), { colour: shade(colour, -24), opacity: 0.9 })
  );
}

/** A crown of leaves, with dark masses behind, light ones in front, and single leaves at the rim. */
export function crown(
  brush: Brush,
  [cx, cy]: Point,
  rx: number,
  ry: number,
  colour: string,
  z: number,
  random: SeededRandom,
  leafSize = 0.07,
): string {
  const mass = (count: number, spread: number, size: number, step: number, lit: number): string =>
    Array.from({ length: count }, () => {
      const [angle, reach] = [random.next() * 6.28, Math.sqrt(random.next()) * spread];
      const shiftX = brush.light.side * rx * 0.14 * (lit > 0 ? 1 : -1);
      const centre: Point = [
        cx + shiftX + Math.cos(angle) * rx * reach,
        cy - (lit > 0 ? ry * 0.16 : 0) + Math.sin(angle) * ry * reach,
      ];
      return path(blot(random, centre, rx * size, ry * size * 0.85, 0.26, 9), {
        fill: toned(brush, shade(colour, step + random.wobble(5)), lit, z),
        'fill-opacity': 0.82,
      });
    }).join('');
  const leaves = Array.from({ length: 90 }, () => {
    const angle = random.next() * 6.28;
    const reach = random.between(0.35, 1.12);
    const p: Point = [cx + Math.cos(angle) * rx * reach, cy + Math.sin(angle) * ry * reach];
    const size = rx * leafSize * random.between(0.7, 1.4);
    const turn = random.next() * 3.14;
    const up = Math.sin(angle) < 0 ? 1 : -1;
    const tone = shade(colour, up * 8 + random.wobble(9));
    const tip: Point = [p[0] + Math.cos(turn) * size * 2, p[1] + Math.sin(turn) * size * 1.6];
    return path(
      outline([
        p,
        [(p[0] + tip[0]) / 2 + size * 0.4, (p[1] + tip[1]) / 2],
        tip,
        [(p[0] + tip[0]) / 2 - size * 0.4, (p[1] + tip[1]) / 2],
      ]),
      {
        fill: toned(brush, tone, up * 0.4, z),
        'fill-opacity': 0.9,
      },
    );
  });
  return (
    mass(9, 0.72, 0.42, -10, -0.6) + mass(10, 0.62, 0.36, 0, 0) + mass(8, 0.5, 0.26, 9, 0.6) + leaves.join('')
  );
}

/** A trunk between two points with branches that reach into the crown, pixels. */
export function trunk(
  brush: Brush,
  line: readonly Point[],
  width: number,
  colour: string,
  z: number,
): string {
  const middle = line.map(([x, y], i): readonly [Point, Point] => {
    const half = (width / 2) * (1.15 - (0.55 * i) / Math.max(1, line.length - 1)) * (i === 0 ? 1.35 : 1);
    return [
      [x - half, y],
      [x + half, y],
    ];
  });
  const [left, right] = [middle.map((m) => m[0]), middle.map((m) => m[1])];
  const xs = left.map((p) => p[0]);
  const paint = brush.sheet.linear(
    Math.round(Math.min(...xs)),
    0,
    Math.round(Math.max(...xs) + width * 1.2),
    0,
    [
      [0, toned(brush, colour, brush.light.side < 0 ? 0.4 : -0.8, z)],
      [1, toned(brush, colour, brush.light.side < 0 ? -0.8 : 0.4, z)],
    ],
  );
  const bark = middle.slice(0, -1).map(([a, b], i): [Point, Point] => {
    const next = middle[i + 1] ?? [a, b];
    return [
      [lerp(a[0], b[0], 0.55), a[1]],
      [lerp(next[0][0], next[1][0], 0.45), lerp(a[1], next[0][1], 0.7)],
    ];
  });
  return [
    path(`${flow(left)}${flow([...right].reverse()).replace('M', 'L')}Z`, { fill: paint }),
    hairlines(brush, bark, 1, shade(colour, -20), 0.5),
    pen(brush, left, weightAt(z, 1.6)),
    pen(brush, right, weightAt(z, 1.8)),
  ].join('');
}

/** Loose blossoms inside an ellipse, pixels. */
export function blossoms(
  [cx, cy]: Point,
  rx: number,
  ry: number,
  colour: string,
  count: number,
  size: number,
  random: SeededRandom,
): string {
  return Array.from({ length: count }, () => {
    const [angle, reach] = [random.next() * 6.28, Math.sqrt(random.next())];
    const centre: Point = [cx + Math.cos(angle) * rx * reach, cy + Math.sin(angle) * ry * reach];
    const r = size * random.between(0.6, 1.2);
    return (
      path(blot(random, centre, r, r * 0.85, 0.3, 7), {
        fill: shade(colour, random.wobble(10)),
        'fill-opacity': 0.92,
      }) +
      path(blot(random, centre, r * 0.3, r * 0.28, 0.2, 5), {
        fill: blend(shade(colour, -18), '#e9c65a', 0.35),
      })
    );
  }).join('');
}
