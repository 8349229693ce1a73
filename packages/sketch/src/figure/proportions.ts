import type { FigureSpec } from '../casting/figure-spec.js';
import { lerp, profile, smoothstep, type Point } from '../drawing/geometry.js';
import { points } from '../drawing/points.js';

/** Rows of [position along the limb 0–1, outer half-breadth, inner half-breadth]. */
export type LimbRow = readonly [at: number, outer: number, inner: number];

/**
 * The nine-head fashion canon in figure units: crown 0, chin 100, pit of the neck 145, waist 300, crotch 410,
 * knees 600, ankles 825, toes 900. The half-breadths below come from fashion drawing manuals and were then
 * adjusted by eye.
 */
export interface Proportions {
  readonly neck: number;
  readonly shoulder: number;
  /** Half-breadth of the trunk at a height, from armpit (200) to crotch (410). */
  readonly trunk: (y: number) => number;
  readonly leg: readonly LimbRow[];
  readonly arm: readonly LimbRow[];
  readonly handScale: number;
}

const FEMALE_TRUNK: readonly Point[] = points(
  '165 62, 200 54, 214 55.5, 232 53, 262 44, 296 37.5, 318 40, 350 49, 385 57.5, 410 59',
);

const MALE_TRUNK: readonly Point[] = points(
  '165 80, 200 69, 218 68, 240 65, 270 58.5, 302 52.5, 330 52, 360 54.5, 390 56, 410 56',
);

const FEMALE_LEG: readonly LimbRow[] = [
  [0, 22, 22],
  [0.07, 27, 27],
  [0.14, 29.4, 27],
  [0.23, 28, 24.5],
  [0.34, 22.5, 20.5],
  [0.44, 17.5, 17],
  [0.49, 15.8, 16.6],
  [0.55, 15.6, 15.6],
  [0.65, 18.6, 16.8],
  [0.78, 14, 12.2],
  [0.9, 9, 8.6],
  [1, 8.8, 9.6],
];

const FEMALE_ARM: readonly LimbRow[] = [
  [0, 11, 11],
  [0.08, 13.6, 12],
  [0.2, 13.4, 12.4],
  [0.38, 10.8, 11.2],
  [0.52, 9.4, 10],
  [0.62, 10.8, 10.2],
  [0.78, 8.6, 8.2],
  [0.95, 6, 6],
  [1, 6.2, 6.2],
];

const widen = (rows: readonly LimbRow[], factor: number, bulge = 0): LimbRow[] =>
  rows.map(([at, outer, inner]) => {
    const muscle =
      1 + bulge * (Math.exp(-(((at - 0.2) / 0.12) ** 2)) + Math.exp(-(((at - 0.65) / 0.1) ** 2)));
    return [at, outer * factor * muscle, inner * factor * muscle];
  });

const BODY = {
  slim: { waist: 0.94, hip: 0.93, chest: 0.95, limb: 0.92, shoulder: 0.98, muscle: 0 },
  balanced: { waist: 1, hip: 1, chest: 1, limb: 1, shoulder: 1, muscle: 0.02 },
  athletic: { waist: 1.01, hip: 0.98, chest: 1.04, limb: 1.06, shoulder: 1.06, muscle: 0.09 },
  fuller: { waist: 1.36, hip: 1.25, chest: 1.2, limb: 1.26, shoulder: 1.06, muscle: 0.02 },
} as const;

export function proportionsOf(spec: FigureSpec): Proportions {
  const male = spec.gender === 'MALE';
  const body = BODY[spec.bodyType];
  const rows = male ? MALE_TRUNK : FEMALE_TRUNK;
  const girth = (y: number): number => {
    const upper = lerp(body.chest, body.waist, smoothstep(215, 285, y));
    return lerp(upper, body.hip, smoothstep(305, 375, y));
  };
  return {
    neck: (male ? 19.5 : 13.4) * lerp(1, body.chest, 0.6),
    shoulder: (male ? 90 : 70) * body.shoulder,
    trunk: (y) => profile(rows, y) * girth(y),
    leg: widen(FEMALE_LEG, body.limb * (male ? 1.1 : 1), body.muscle + (male ? 0.03 : 0)),
    arm: widen(FEMALE_ARM, body.limb * (male ? 1.4 : 1), body.muscle * 1.4 + (male ? 0.06 : 0)),
    handScale: male ? 1.16 : 1,
  };
}
