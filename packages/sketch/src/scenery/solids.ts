import { blend, shade } from '../drawing/colour.js';
import { flow, polygon } from '../drawing/curve.js';
import { clamp, lerp, type Point } from '../drawing/geometry.js';
import { element, path } from '../drawing/svg-sheet.js';
import {
  edges,
  FRONT,
  LEFT,
  on,
  pen,
  plane,
  spot,
  RIGHT,
  toned,
  UP,
  wash,
  weightAt,
  type Brush,
} from './brush.js';
import { lying, perMetre, project, sideways, upright, type Vec3 } from './camera.js';

interface Box {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  readonly z: readonly [number, number];
}

/** A block: its front, and the visible parts of its top and sides. */
export function box(brush: Brush, { x, y, z }: Box, colour: string, weight = 1.6): string {
  const faces: [Vec3[], Vec3][] = [];
  if (y[1] < brush.camera.eye) faces.push([lying(x, y[1], z), UP]);
  if (x[1] < 0) faces.push([sideways(x[1], y, z), RIGHT]);
  if (x[0] > 0) faces.push([sideways(x[0], y, z), LEFT]);
  faces.push([upright(x, y, z[0]), FRONT]);
  return faces
    .map(
      ([corners, normal]) =>
        plane(brush, corners, colour, normal) +
        edges(brush, corners, weightAt(z[0], weight), { opacity: 0.7 }),
    )
    .join('');
}

/**
 * How flat a circle looks that lies flat at this height and distance: its height in the picture, as a share of
 * its width.
 */
export const squash = (brush: Brush, y: number, z: number): number =>
  clamp((brush.camera.eye - y) / z, -0.5, 0.5);

/** An ellipse that lies flat. */
export function disc(brush: Brush, [x, y, z]: Vec3, radius: number, fill: string, opacity?: number): string {
  const [cx, cy] = on(brush, x, y, z);
  const rx = radius * perMetre(brush.camera, z);
  return element('ellipse', {
    cx: cx.toFixed(1),
    cy: cy.toFixed(1),
    rx: rx.toFixed(1),
    ry: Math.max(0.5, Math.abs(squash(brush, y, z)) * rx).toFixed(1),
    fill,
    'fill-opacity': opacity,
  });
}

/** Shading across a round body, lit from the light's side. */
function roundPaint(brush: Brush, colour: string, left: number, right: number, z: number): string {
  const { contrast, side } = brush.light;
  const [bright, dark] = [toned(brush, colour, 0.45, z), toned(brush, colour, -0.95, z)];
  const middle = toned(brush, colour, 0, z);
  const stops: [number, string][] = [
    [0, blend(middle, bright, 0.4)],
    [0.24, bright],
    [0.52, middle],
    [0.85, blend(middle, dark, 0.5 + 0.5 * contrast)],
    [1, blend(middle, dark, 0.75)],
  ];
  const ordered = side < 0 ? stops : stops.map(([t, c]): [number, string] => [1 - t, c]).reverse();
  const round = (value: number): number => Math.round(value * 10) / 10;
  return brush.sheet.linear(round(left), 0, round(right), 0, ordered);
}

/**
 * A turned body (column, vase, lamp). Its profile gives the radius at each height, both in metres, from the
 * bottom of the piece upward.
 */
export function lathe(
  brush: Brush,
  [x, y, z]: Vec3,
  rows: readonly Point[],
  colour: string,
  {
    weight = 1.7,
    hollow = false,
    smooth = true,
  }: { weight?: number; hollow?: boolean; smooth?: boolean } = {},
): string {
  const scale = perMetre(brush.camera, z);
  const [cx] = on(brush, x, y, z);
  const rim = (radius: number, height: number, side: number): Point => {
    const [, py] = on(brush, x, y + height, z);
    return [cx + side * radius * scale, py];
  };
  const sideOf = (side: number): Point[] => rows.map(([radius, height]) => rim(radius, height, side));
  const [left, right] = [sideOf(-1), sideOf(1)];
  const [bottom, top] = [rows[0], rows[rows.length - 1]];
  if (!bottom || !top) return '';
  const widest = Math.max(...rows.map((row) => row[0])) * scale;
  const paint = roundPaint(brush, colour, cx - widest, cx + widest, z);
  const curve = (line: Point[]): string =>
    smooth ? flow(line) : `M${line.map((p) => p.join(' ')).join('L')}`;
  const drop = (radius: number, height: number): number => squash(brush, y + height, z) * radius * scale;
  const [b0, t0] = [left[0], left[left.length - 1]];
  const [b1, t1] = [right[0], right[right.length - 1]];
  if (!b0 || !t0 || !b1 || !t1) return '';
  const sag = drop(bottom[0], bottom[1]);
  const crown = drop(top[0], top[1]);
  const body = `${curve(left)}Q${cx.toFixed(1)} ${(t0[1] - crown).toFixed(1)} ${t1[0].toFixed(1)} ${t1[1].toFixed(1)}${curve(
    [...right].reverse(),
  ).replace(
    'M',
    'L',
  )}Q${cx.toFixed(1)} ${(b0[1] + sag * 1.9).toFixed(1)} ${b0[0].toFixed(1)} ${b0[1].toFixed(1)}Z`;
  const w = weightAt(z, weight);
  const mouth =
    top[0] > 0.02
      ? disc(brush, [x, y + top[1], z], top[0], hollow ? shade(colour, -34) : toned(brush, colour, 0.5, z))
      : '';
  const foot: Point[] = [b0, [cx, b0[1] + sag * 0.95], b1];
  return [
    wash(brush, body, paint, { edge: colour, rim: 0.3 }),
    mouth,
    pen(brush, left, w),
    pen(brush, right, w),
    pen(brush, foot, w * 0.9),
    top[0] > 0.02 ? pen(brush, [t0, [cx, t0[1] + crown * 0.95], t1], w * 0.7, { opacity: 0.6 }) : '',
  ].join('');
}

/**
 * The shadow of a piece on the floor: a dark core at its foot, and a soft part that falls away from the light.
 */
export function shadowOf(
  brush: Brush,
  [x, z]: readonly [number, number],
  half: number,
  height: number,
): string {
  const { light, camera, colours, unit } = brush;
  const [lx, ly, lz] = light.direction;
  const length = Math.min(height / Math.max(0.3, ly), 1.7);
  const [dx, dz] = [-lx * length, Math.max(-0.5, -lz * length)];
  const colour = blend(shade(colours.floor, -34), light.shade, 0.5);
  const scale = perMetre(camera, z);
  const [fx, fy] = project(camera, [x + dx * 0.03, 0, z]);
  const flat = Math.max(2 * unit, squash(brush, 0, z) * half * scale);
  const core = spot(
    brush.sheet,
    [fx, fy],
    half * scale * 1.25,
    flat * 1.3,
    colour,
    0.5 + 0.2 * light.contrast,
    0.45,
  );
  if (light.softness > 0.85) return core;
  const strength = 0.12 + 0.34 * light.contrast;
  const [tx, ty] = project(camera, [x + dx, 0, z + dz]);
  if (light.softness > 0.3) {
    const reach = Math.hypot(tx - fx, ty - fy);
    const turn = Math.atan2(ty - fy, tx - fx);
    const middle: Point = [(fx + tx) / 2, (fy + ty) / 2];
    return (
      spot(brush.sheet, middle, reach * 0.62 + half * scale, flat * 1.6, colour, strength * 1.2, 0.2, turn) +
      core
    );
  }
  // Hard light gives the shadow a shape. The shadow gets paler with distance from the foot.
  const fall: Vec3[] = [
    [x - half, 0, z],
    [x + half, 0, z],
    [x + half * 0.9 + dx, 0, z + dz],
    [x - half * 0.9 + dx, 0, z + dz],
  ];
  const paint = brush.sheet.linear(Math.round(fx), Math.round(fy), Math.round(tx), Math.round(ty), [
    [0, colour, 1],
    [0.6, colour, 0.8],
    [1, colour, 0.1],
  ]);
  const cast = polygon(fall.map((corner) => project(camera, corner)));
  return path(cast, { fill: paint, 'fill-opacity': strength.toFixed(2) }) + core;
}

interface DrapeOptions {
  readonly folds?: number;
  /** How the cloth widens from its rail to its hem. */
  readonly flare?: number;
  /** The hem lies on the floor. */
  readonly pool?: boolean;
  readonly opacity?: number;
}

/** Cloth that hangs from a rail between two values of x, from height `top` down to `bottom`. */
export function drape(
  brush: Brush,
  [x0, x1]: readonly [number, number],
  [bottom, top]: readonly [number, number],
  z: number,
  colour: string,
  {
    folds = Math.max(5, Math.round(Math.abs(x1 - x0) * 12)),
    flare = 1.06,
    pool = false,
    opacity,
  }: DrapeOptions = {},
): string {
  const random = brush.random.fork(`drape${x0.toFixed(2)}${z.toFixed(2)}`);
  const middle = (x0 + x1) / 2;
  const spread = (x: number, t: number): number => middle + (x - middle) * lerp(1, flare, t * t);
  const wave = Array.from({ length: folds + 1 }, (_, i) => ({
    x: lerp(x0, x1, (i + (i > 0 && i < folds ? random.wobble(0.28) : 0)) / folds),
    depth: random.between(0.4, 1),
    lean: random.wobble(0.05),
  }));
  const hem = (i: number): number => bottom + (pool ? 0 : (i % 2 ? 0.018 : -0.012) + random.wobble(0.01));
  const column = (fold: (typeof wave)[number], low: number): Point[] =>
    [0, 0.3, 0.65, 1].map((t) =>
      on(brush, spread(fold.x, t) + fold.lean * Math.sin(t * 2.6) * (x1 - x0) * 0.35, lerp(top, low, t), z),
    );
  const columns = wave.map((fold, i) => column(fold, hem(i)));
  const strips = columns.slice(1).map((right, i) => {
    const left = columns[i] ?? right;
    const facing = (i % 2 ? 1 : -1) * brush.light.side * (wave[i]?.depth ?? 1);
    const tone = toned(brush, colour, facing * 0.85 - 0.05, z);
    const inner = toned(brush, colour, facing * 0.2 - 0.05, z);
    const [a, b] = [left[0]?.[0] ?? 0, right[0]?.[0] ?? 0];
    const paint = brush.sheet.linear(Math.round(a), 0, Math.round(b + 1), 0, [
      [0, inner],
      [0.6, tone],
      [1, inner],
    ]);
    const d = `${flow(left)}${flow([...right].reverse()).replace('M', 'L')}Z`;
    return path(d, {
      fill: paint,
      'fill-opacity': opacity,
      stroke: opacity ? undefined : inner,
      'stroke-width': 0.8,
    });
  });
  const lines = columns.map((line, i) => {
    const outer = i === 0 || i === columns.length - 1;
    const from = outer ? 0 : random.chance(0.5) ? 0 : 1;
    return pen(brush, line.slice(from), weightAt(z, outer ? 1.6 : 1), {
      opacity: outer ? 0.8 : 0.2 + 0.35 * (wave[i]?.depth ?? 0.5),
    });
  });
  const foot = pen(
    brush,
    columns.map((line) => line[line.length - 1] ?? [0, 0]),
    weightAt(z, 1.3),
    { opacity: 0.7 },
  );
  return strips.join('') + lines.join('') + foot;
}
