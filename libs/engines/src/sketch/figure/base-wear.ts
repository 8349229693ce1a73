import { shade } from '../drawing/colour.js';
import { outline, polygon } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { path, group } from '../drawing/svg-sheet.js';
import { trunkLine } from './body.js';
import { stroke, type Pens } from './pens.js';
import { SIDES, type Rig } from './rig.js';

const placed = (rig: Rig, points: readonly Point[]): Point[] => points.map(([x, y]) => rig.place(x, y));

const mirrored = (points: readonly Point[]): Point[] => points.map(([x, y]): Point => [-x, y]).reverse();

function neckline(rig: Rig): { strap: number; inner: number; curve: Point[] } {
  const { shoulder, neck } = rig.proportions;
  const male = rig.spec.gender === 'MALE';
  const inner = male ? neck + 6 : neck + 12;
  const strap = male ? shoulder - 10 : shoulder * 0.74;
  const half: Record<typeof rig.spec.wear.neckline, Point[]> = {
    scoop: [
      [inner, 147],
      [inner - 2, 162],
      [inner * 0.6, 178],
      [0, 184],
    ],
    crew: [
      [inner - 4, 142],
      [inner - 6, 150],
      [inner * 0.5, 157],
      [0, 160],
    ],
    vee: [
      [inner, 147],
      [inner * 0.7, 164],
      [inner * 0.3, 184],
      [0, 193],
    ],
  };
  return { strap, inner, curve: half[rig.spec.wear.neckline] };
}

/** A sleeveless vest that ends at `hem`. */
export function drawVest(pens: Pens, rig: Rig, hem: number): string {
  const { strap, curve } = neckline(rig);
  const colour = rig.spec.wear.top;
  const armhole: Point[] = [
    [strap, 151.5],
    [strap - 3, 168],
    [strap - 1, 184],
    [rig.proportions.trunk(204) + 1, 204],
  ];
  const shape = [
    ...placed(rig, [...mirrored(curve).slice(0, -1).reverse().reverse(), ...[...curve].reverse()]),
    ...placed(rig, armhole),
    ...trunkLine(rig, 1, 214, hem, 1.2),
    rig.place(0, hem + 3),
    ...trunkLine(rig, -1, 214, hem, 1.2).reverse(),
    ...placed(rig, mirrored(armhole)),
  ];
  const dark = shade(colour, -13, 1.1);
  const female = rig.spec.gender === 'FEMALE';
  const d = outline(shape);
  const form = [
    path(outline([...trunkLine(rig, 1, 200, hem, 2), ...trunkLine(rig, 1, 200, hem, -17).reverse()]), {
      fill: dark,
      'fill-opacity': 0.75,
    }),
    path(
      outline(
        placed(rig, [
          [30, 168],
          [46, 190],
          [49, 214],
          [34, 229],
          [12, 226],
          [28, 216],
          [36, 200],
        ]),
      ),
      {
        fill: dark,
        'fill-opacity': female ? 0.5 : 0.25,
        filter: pens.sheet.blur(2.4),
      },
    ),
    path(
      outline(
        placed(rig, [
          [-44, 200],
          [-34, 231],
          [-14, 229],
          [-26, 222],
          [-36, 206],
        ]),
      ),
      {
        fill: dark,
        'fill-opacity': female ? 0.4 : 0.2,
        filter: pens.sheet.blur(2),
      },
    ),
    path(
      outline(
        placed(rig, [
          [-38, 180],
          [-24, 184],
          [-22, 204],
          [-32, 208],
          [-42, 198],
        ]),
      ),
      {
        fill: shade(colour, 9),
        'fill-opacity': 0.65,
        filter: pens.sheet.blur(3),
      },
    ),
  ];
  const folds: Point[][] = [
    [
      [-36, 292],
      [-22, 299],
      [-4, 297],
    ],
    [
      [37, 288],
      [24, 297],
      [8, 300],
    ],
    [
      [38, 304],
      [22, 309],
      [12, 316],
    ],
    [
      [-34, 310],
      [-24, 314],
      [-14, 322],
    ],
    [
      [52, 206],
      [44, 214],
      [36, 217],
    ],
  ];
  return [
    path(d, { fill: colour }),
    group({ 'clip-path': pens.sheet.clip(d) }, ...form),
    ...folds.map((fold) =>
      stroke(pens, placed(rig, fold), 1, {
        colour: shade(colour, -38),
        opacity: 0.55,
        ends: [0.6, 0.05],
        press: 0.2,
      }),
    ),
    stroke(pens, placed(rig, [...curve.slice(0, -1), ...mirrored(curve)]), 1.25, { ends: [0.5, 0.5] }),
    ...SIDES.flatMap(([, side]) => [
      stroke(
        pens,
        placed(
          rig,
          armhole.map(([x, y]): Point => [x * side, y]),
        ),
        1.25,
      ),
      stroke(pens, trunkLine(rig, side, 204, hem, 1.2), 1.5, { ends: [0.4, 0.4] }),
    ]),
    stroke(
      pens,
      [
        ...trunkLine(rig, -1, hem - 4, hem, 1.2).slice(-1),
        rig.place(0, hem + 3),
        ...trunkLine(rig, 1, hem - 4, hem, 1.2).slice(-1),
      ],
      1.2,
      { ends: [0.5, 0.5] },
    ),
  ].join('');
}

/** Close-fitting trousers or shorts: `to` is where on the leg they end, 0–1. */
export function drawLegwear(pens: Pens, rig: Rig, to: number, waist = 318): string {
  const colour = rig.spec.wear.bottom;
  const dark = shade(colour, -12, 1.1);
  const light = shade(colour, 9);
  const back = rig.weightSide === 'left' ? 'right' : 'left';
  const ease = rig.spec.gender === 'MALE' ? 5 : 2.2;
  const leg = (name: 'left' | 'right'): string => {
    const limb = rig.legs[name];
    const lit = limb.sliver(-0.25 * limb.side, -0.7 * limb.side, 0.08, to * 0.94, ease);
    const dim = limb.sliver(0.2 * limb.side, 1 * limb.side, limb.side === 1 ? 0.02 : 0.13, to, ease);
    const knee = (across: number, at: number): Point => limb.point(at, across, ease);
    return [
      path(polygon(limb.strip(-1, 1, 0, to, ease)), { fill: colour }),
      path(outline(dim), { fill: dark, 'fill-opacity': 0.8 }),
      path(outline(lit), { fill: light, 'fill-opacity': 0.6 }),
      stroke(pens, limb.edge(1, 0.03, to, ease), 1.7, { ends: [0.4, 0.5] }),
      stroke(pens, limb.edge(-1, 0.09, to, ease), 1.4, { ends: [0.3, 0.5] }),
      stroke(pens, [limb.point(to, -1, ease), limb.point(to, 0, ease + 2), limb.point(to, 1, ease)], 1.2, {
        ends: [0.6, 0.6],
      }),
      ...(to > 0.6
        ? [
            [knee(1, 0.46), knee(0.2, 0.48), knee(-0.3, 0.47)],
            [knee(-1, 0.52), knee(-0.3, 0.53), knee(0.2, 0.515)],
          ].map((fold) => stroke(pens, fold, 0.95, { ends: [0.7, 0.05], press: 0.15, opacity: 0.55 }))
        : []),
    ].join('');
  };
  const hip = [
    ...trunkLine(rig, 1, waist, 404, 1.4),
    rig.place(0, 436),
    ...trunkLine(rig, -1, waist, 404, 1.4).reverse(),
  ];
  return [
    leg(back),
    leg(rig.weightSide),
    path(outline(hip), { fill: colour }),
    path(
      outline([...trunkLine(rig, 1, waist + 4, 404, 1), ...trunkLine(rig, 1, waist + 4, 404, -19).reverse()]),
      { fill: dark, 'fill-opacity': 0.8 },
    ),
    ...SIDES.map(([, side]) =>
      stroke(pens, trunkLine(rig, side, waist, 410, 1.4), 1.6, { ends: [0.4, 0.7] }),
    ),
    stroke(
      pens,
      [
        trunkLine(rig, -1, waist, waist + 20, 1.4)[0] ?? [0, 0],
        rig.place(0, waist + 5),
        trunkLine(rig, 1, waist, waist + 20, 1.4)[0] ?? [0, 0],
      ],
      1.2,
      { ends: [0.6, 0.6] },
    ),
    stroke(pens, [rig.place(0, 424), rig.place(-8, 414), rig.place(-20, 409)], 1, {
      opacity: 0.6,
      ends: [0.6, 0.05],
    }),
    stroke(pens, [rig.place(0, 424), rig.place(9, 415), rig.place(22, 411)], 1, {
      opacity: 0.6,
      ends: [0.6, 0.05],
    }),
    stroke(pens, [rig.place(0, waist + 8), rig.place(1, 372), rig.place(0, 420)], 0.8, { opacity: 0.35 }),
  ].join('');
}
