import { outline, polygon, trace } from '../drawing/curve.js';
import { profile, type Point, opposite } from '../drawing/geometry.js';
import { path } from '../drawing/svg-sheet.js';
import { drawFoot } from './foot.js';
import { drawHand } from './hand.js';
import type { Limb } from './limb.js';
import { stroke, type Pens } from './pens.js';
import { SIDES, type Rig } from './rig.js';

/** The shoulder's contour before the pose bends it, from under the jaw to the arm. */
function shoulderRows(rig: Rig): Point[] {
  const { neck, shoulder } = rig.proportions;
  return [
    [neck * 1.02, 92],
    [neck, 112],
    [neck * 1.03, 128],
    [neck * 1.35, 138],
    [neck + (shoulder - neck) * 0.38, 145.5],
    [neck + (shoulder - neck) * 0.74, 151.5],
    [shoulder - 5, 157],
    [shoulder - 0.5, 166],
  ];
}

/** Height of the upright figure's shoulder at a distance from its middle line. */
export const shoulderHeight = (rig: Rig, x: number): number => profile(shoulderRows(rig).slice(2), x);

/** Half contour of neck and shoulder for one side, from under the jaw to the armpit. */
export function shoulderLine(rig: Rig, side: -1 | 1): Point[] {
  return shoulderRows(rig).map(([x, y]) => rig.place(x * side, y));
}

/** Half contour of the trunk, armpit to crotch height. */
export function trunkLine(rig: Rig, side: -1 | 1, from = 200, to = 410, ease = 0): Point[] {
  const count = Math.max(2, Math.round((to - from) / 16));
  return Array.from({ length: count + 1 }, (_, i) => {
    const y = from + ((to - from) * i) / count;
    return rig.place((rig.proportions.trunk(y) + ease) * side, y);
  });
}

/**
 * One flowing contour over hip and thigh. It follows the trunk's edge above and the leg's below. The stretch
 * between is left free, so that the spline bridges the joint.
 */
export function hipLine(rig: Rig, side: -1 | 1, from: number, to: number, ease = 0): Point[] {
  const leg = side === 1 ? rig.legs.right : rig.legs.left;
  return [...trunkLine(rig, side, from, 378, ease), ...leg.edge(1, 0.15, to, ease)];
}

function trunkShape(rig: Rig): Point[] {
  const right = [...shoulderLine(rig, 1), ...trunkLine(rig, 1)];
  const left = [...shoulderLine(rig, -1), ...trunkLine(rig, -1)];
  return [...right, rig.place(0, 416), ...left.reverse()];
}

/**
 * Light falls from the upper left, so the limb's edge at the right of the page is in shade, be it the inner or
 * the outer one.
 */
const limbShade = (pens: Pens, limb: Limb, from = 0): string => {
  const { palette } = pens;
  const s = limb.side;
  return [
    path(outline(limb.sliver(0.16 * s, 1 * s, from)), { fill: palette.skinShade, 'fill-opacity': 0.66 }),
    path(outline(limb.sliver(0.62 * s, 1 * s, from + 0.04, 0.95)), {
      fill: palette.skinDeep,
      'fill-opacity': 0.34,
    }),
    path(outline(limb.sliver(-0.3 * s, -0.72 * s, from + 0.06, 0.9)), {
      fill: palette.skinLight,
      'fill-opacity': 0.75,
    }),
  ].join('');
};

export function drawLeg(pens: Pens, rig: Rig, name: 'left' | 'right'): string {
  const leg = rig.legs[name];
  const { palette } = pens;
  const male = rig.spec.gender === 'MALE';
  const knee = leg.point(0.49, 0);
  const foot = drawFoot(
    pens,
    leg.point(1, 0),
    leg.side,
    rig.spec.wear.shoes,
    male ? 'laced' : 'court',
    leg.side === rig.spec.lean ? 3 : 10,
    male ? 1.12 : 1,
  );
  return [
    path(polygon(leg.strip(-1, 1, 0.09)), { fill: palette.skin }),
    limbShade(pens, leg),
    foot,
    path(
      outline([
        [knee[0] - 8, knee[1] + 6],
        [knee[0], knee[1] + 11],
        [knee[0] + 9, knee[1] + 4],
        [knee[0] + 2, knee[1] + 7],
      ]),
      {
        fill: palette.skinDeep,
        'fill-opacity': 0.5,
      },
    ),
    stroke(pens, hipLine(rig, leg.side, 340, 1), 1.7, { ends: [0.4, 0.5] }),
    stroke(pens, leg.edge(-1, 0.1), 1.4, { ends: [0.3, 0.5] }),
  ].join('');
}

export function drawTrunk(pens: Pens, rig: Rig): string {
  const { palette } = pens;
  const shape = outline(trunkShape(rig));
  const shadeSide = [...trunkLine(rig, 1), ...trunkLine(rig, 1, 200, 410, -16).reverse()];
  const { shoulder, neck } = rig.proportions;
  const collar = (side: -1 | 1): Point[] =>
    [
      [5, 148],
      [neck * 1.3, 150.5],
      [shoulder * 0.52, 153],
      [shoulder * 0.82, 155.5],
    ].map(([x = 0, y = 0]) => rig.place(x * side, y));
  const neckShadow: Point[] = [
    [-neck, 98],
    [-neck * 0.9, 112],
    [-2, 126],
    [neck * 0.9, 134],
    [neck * 1.05, 128],
    [neck, 98],
  ].map(([x = 0, y = 0]) => rig.place(x, y));
  return [
    path(shape, { fill: palette.skin }),
    path(outline(shadeSide), { fill: palette.skinShade, 'fill-opacity': 0.6 }),
    path(outline(neckShadow), {
      fill: palette.skinShade,
      'fill-opacity': 0.9,
    }),
    path(
      outline(
        [
          [-shoulder * 0.7, 154],
          [-shoulder * 0.3, 150],
          [-14, 158],
          [-30, 172],
        ].map(([x = 0, y = 0]) => rig.place(x, y)),
      ),
      {
        fill: palette.skinLight,
        'fill-opacity': 0.6,
      },
    ),
    stroke(pens, collar(-1), 1.1, { opacity: 0.6 }),
    stroke(pens, collar(1), 1.1, { opacity: 0.75 }),
    ...SIDES.flatMap(([, side]) => [
      stroke(pens, shoulderLine(rig, side), 1.5, { ends: [0.3, 0.5] }),
      stroke(pens, trunkLine(rig, side), 1.6, { ends: [0.4, 0.5] }),
    ]),
  ].join('');
}

/**
 * Draws the neck once more, over a garment: the back of a collar lies behind the neck, its front in front of
 * it. `open` is the height at which the front of the collar begins.
 */
export function drawNeck(pens: Pens, rig: Rig, open: number): string {
  const { neck } = rig.proportions;
  const { palette } = pens;
  const put = (points: readonly Point[]): Point[] => points.map(([x, y]) => rig.place(x, y));
  const low = Math.max(124, Math.min(150, open));
  const side = (s: -1 | 1): Point[] =>
    put([
      [s * neck * 1.02, 94],
      [s * neck, 110],
      [s * neck * 1.02, low - 10],
    ]);
  const shape = [
    ...side(1),
    ...put([
      [neck * 0.8, low - 2],
      [0, low + 3],
      [-neck * 0.8, low - 2],
    ]),
    ...side(-1).reverse(),
  ];
  const shadow = put([
    [-neck, 98],
    [-neck * 0.9, 110],
    [-2, low - 8],
    [neck * 0.9, low - 2],
    [neck, low - 12],
    [neck, 98],
  ]);
  return [
    path(outline(shape), { fill: palette.skin }),
    path(outline(shadow), { fill: palette.skinShade, 'fill-opacity': 0.9 }),
    stroke(pens, side(1), 1.4, { ends: [0.4, 0.2] }),
    stroke(pens, side(-1), 1.3, { ends: [0.4, 0.2] }),
  ].join('');
}

export function drawArm(pens: Pens, rig: Rig, name: 'left' | 'right', from = 0): string {
  const arm = rig.arms[name];
  const pose = rig.poses[name];
  const { palette } = pens;
  const inward = opposite(arm.side);
  const hand = drawHand(
    pens,
    arm.point(1, 0),
    arm.endAngle + pose.handTurn,
    inward,
    rig.proportions.handScale,
  );
  const shoulder = from === 0 ? shoulderLine(rig, arm.side).slice(-2) : [];
  return [
    hand,
    path(
      polygon([
        ...trace([...shoulder, ...arm.edge(1, from === 0 ? 0.07 : from)], 5),
        ...trace(arm.edge(-1, from), 5).reverse(),
      ]),
      {
        fill: palette.skin,
      },
    ),
    limbShade(pens, arm, from),
    stroke(pens, [...shoulder, ...arm.edge(1, from === 0 ? 0.07 : from)], 1.6, { ends: [0.25, 0.5] }),
    stroke(pens, arm.edge(-1, Math.max(from, 0.13)), 1.4, { ends: [0.2, 0.5] }),
    from === 0 ? stroke(pens, [arm.point(0.54, -0.5), arm.point(0.56, 0)], 0.9, { opacity: 0.3 }) : '',
  ].join('');
}
