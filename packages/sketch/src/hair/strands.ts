import { shade } from '../drawing/colour.js';
import { outline, polygon, resample, trace, normals } from '../drawing/curve.js';
import { lerp, mixPoints, type Point } from '../drawing/geometry.js';
import { ink } from '../drawing/ink.js';
import type { SeededRandom } from '../drawing/seeded-random.js';
import { group, path } from '../drawing/svg-sheet.js';
import type { HairTexture } from '../casting/complexion.js';
import type { Pens } from '../figure/pens.js';

/** Flowing hair. Guide curves run from root to tip, side by side, and strands are drawn between them. */
export interface Lock {
  readonly guides: readonly (readonly Point[])[];
  readonly strands: number;
  /** 0 drawn behind everything, 1 in full light. */
  readonly light: number;
}

const WAVE: Record<HairTexture, readonly [height: number, turns: number]> = {
  straight: [0.5, 1],
  wavy: [3, 3.2],
  curly: [4.6, 6.5],
  coily: [3.4, 11],
};

const STEPS = 26;

/** Waves a curve. The waves grow toward its tip, because hair is held at the root. */
function waved(curve: readonly Point[], texture: HairTexture, phase: number): Point[] {
  const [height, turns] = WAVE[texture];
  const line = resample(curve, STEPS);
  const sides = normals(line);
  return line.map((p, i) => {
    const t = i / (STEPS - 1);
    const n = sides[i] ?? [0, 0];
    const push = height * Math.min(1, Math.max(0, (t - 0.12) * 2)) * Math.sin(phase + t * turns * 6.28);
    return [p[0] + n[0] * push, p[1] + n[1] * push];
  });
}

/** Interpolates between neighbouring guides. `across` runs from 0 at the first guide to 1 at the last. */
function between(guides: readonly (readonly Point[])[], across: number): Point[] {
  const at = across * (guides.length - 1);
  const index = Math.min(guides.length - 2, Math.floor(at));
  const [a, b] = [guides[index] ?? [], guides[index + 1] ?? []];
  return a.map((p, i) => mixPoints(p, b[i] ?? p, at - index));
}

export function strandColour(base: string, random: SeededRandom, light: number): string {
  const tone = random.next();
  const lift = tone < 0.34 ? -9 : tone < 0.62 ? 5 : tone < 0.88 ? 11 : 20;
  return shade(base, lift * (0.5 + 0.5 * light) - 7 * (1 - light), tone > 0.88 ? 0.9 : 1.08);
}

/** The light lies on the roundest part of the hair. Below the jaw the hair is in shade. */
function sheen(pens: Pens, guide: readonly Point[], colour: string, light: number): string {
  const heights = guide.map((p) => p[1]);
  const [top, bottom] = [Math.min(...heights), Math.max(...heights)];
  const gleam = shade(colour, 34, 0.8);
  const dark = shade(colour, -16);
  return pens.sheet.linear(0, Math.round(top), 0, Math.round(bottom), [
    [0, dark, 0.16],
    [0.1, gleam, 0.04],
    [0.18, gleam, 0.36 * light],
    [0.27, gleam, 0.02],
    [0.46, dark, 0.36],
    [0.62, dark, 0.05],
    [0.76, gleam, 0.14 * light],
    [1, dark, 0.26],
  ]);
}

export function drawLock(pens: Pens, lock: Lock, colour: string, texture: HairTexture): string {
  const random = pens.random.fork(`lock${lock.strands}${lock.guides[0]?.[0]?.[0] ?? 0}`);
  const phase = random.next() * 6.28;
  const guides = lock.guides.map((guide, i) => waved(guide, texture, phase + i * 0.5));
  const [first, last] = [guides[0] ?? [], guides[guides.length - 1] ?? []];
  const mass = polygon([...trace(first, 2), ...trace(last, 2).reverse()]);
  const strands = Array.from({ length: lock.strands }, () => {
    const across = random.next();
    const line = between(guides, across);
    const from = random.chance(0.6) ? 0 : Math.floor(random.between(0, 12));
    const to = Math.floor(random.between(Math.max(from + 6, 16), STEPS + 0.99));
    const drift = random.wobble(1.5);
    const points = line.slice(from, to).map(([x, y], i): Point => [x + (drift * i) / STEPS, y]);
    return path(ink(points, { width: random.between(0.5, 1.7), ends: [0.3, 0.05], press: 0.4 }), {
      fill: strandColour(colour, random, lock.light),
      'fill-opacity': random.between(0.45, 0.95).toFixed(2),
    });
  });
  const flyaways = Array.from({ length: Math.round(lock.strands / 14) }, () => {
    const line = between(guides, random.chance(0.5) ? 0 : 1);
    const push = random.wobble(5);
    const points = line.slice(4).map(([x, y], i): Point => [x + (push * i) / STEPS, y]);
    return path(ink(points, { width: pens.fine * 0.9, ends: [0.3, 0.05] }), {
      fill: shade(colour, -4),
      'fill-opacity': 0.7,
    });
  });
  return [
    path(mass, { fill: shade(colour, -4 - 7 * (1 - lock.light)) }),
    ...strands,
    path(mass, { fill: sheen(pens, first, colour, lock.light) }),
    ...flyaways,
    path(ink(first, { width: 1.2 }), { fill: shade(colour, -14), 'fill-opacity': 0.8 }),
    path(ink(last, { width: 0.9 }), { fill: shade(colour, -14), 'fill-opacity': 0.7 }),
  ].join('');
}

/** Hair that lies on the skull: a surface between the hairline (v = 0) and the crown's outline (v = 1). */
export interface Cap {
  /** From ear to ear over the forehead. */
  readonly hairline: readonly Point[];
  /** From ear to ear over the crown. */
  readonly crown: readonly Point[];
}

export function capPoint(cap: Cap): (s: number, v: number) => Point {
  const [hairline, crown] = [resample(cap.hairline, 41), resample(cap.crown, 41)];
  const along = (line: readonly Point[], s: number): Point => {
    const at = Math.min(39.999, Math.max(0, s * 40));
    const i = Math.floor(at);
    return mixPoints(line[i] ?? [0, 0], line[i + 1] ?? [0, 0], at - i);
  };
  return (s, v) => mixPoints(along(hairline, s), along(crown, s), v);
}

export const capShape = (cap: Cap): string => outline([...cap.crown, ...[...cap.hairline].reverse()]);

/** The course of one strand on a cap: from (s0, v0) to (s1, v1), lifted off the surface in between. */
export type Sweep = (
  random: SeededRandom,
) => readonly [s0: number, v0: number, s1: number, v1: number, lift: number];

export function drawCap(
  pens: Pens,
  cap: Cap,
  colour: string,
  count: number,
  sweep: Sweep,
  options: { width?: readonly [number, number]; clip?: boolean; opacity?: number } = {},
): string {
  const random = pens.random.fork(`cap${count}`);
  const at = capPoint(cap);
  const [thin, thick] = options.width ?? [0.5, 1.6];
  const strands = Array.from({ length: count }, () => {
    const [s0, v0, s1, v1, lift] = sweep(random);
    const points = [0, 0.33, 0.66, 1].map((t): Point => {
      const [x, y] = at(lerp(s0, s1, t), lerp(v0, v1, t));
      return [x, y - lift * Math.sin(Math.PI * t)];
    });
    return path(ink(points, { width: random.between(thin, thick), ends: [0.35, 0.08], press: 0.4 }), {
      fill: strandColour(colour, random, 0.85),
      'fill-opacity': random.between(0.5, 0.95).toFixed(2),
    });
  });
  const shape = capShape(cap);
  const clip = options.clip ? { 'clip-path': pens.sheet.clip(shape) } : {};
  return [
    path(shape, { fill: shade(colour, -5), 'fill-opacity': options.opacity }),
    group(clip, ...strands),
  ].join('');
}
