import { shade } from '../drawing/colour.js';
import { polygon, trace } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { path, group } from '../drawing/svg-sheet.js';
import { shoulderHeight, trunkLine } from './body.js';
import { softly, type Patch } from '../face/soft-shading.js';
import { stroke, type Pens } from './pens.js';
import { SIDES, type Rig } from './rig.js';
import { points } from '../drawing/points.js';

const placed = (rig: Rig, points: readonly Point[]): Point[] => points.map(([x, y]) => rig.place(x, y));

/** Right half of the neckline from the strap to the middle of the chest. */
function neckline(rig: Rig): Point[] {
  const { shoulder, neck } = rig.proportions;
  const inner = neck + (shoulder - neck) * (rig.spec.gender === 'MALE' ? 0.3 : 0.34);
  switch (rig.spec.wear.neckline) {
    case 'scoop':
      return [
        [inner, shoulderHeight(rig, inner)],
        [inner - 1.5, 161],
        [inner * 0.66, 176],
        [inner * 0.28, 183],
        [0, 184],
      ];
    case 'crew':
      return [
        [inner - 3, shoulderHeight(rig, inner - 3)],
        [inner - 6, 154],
        [inner * 0.4, 161],
        [0, 163],
      ];
    case 'vee':
      return [
        [inner, shoulderHeight(rig, inner)],
        [inner * 0.76, 161],
        [inner * 0.4, 179],
        [0, 196],
      ];
  }
}

/** Height of the vest's hem. */
const HEM = 336;

function vestForm(pens: Pens, rig: Rig): string {
  const colour = rig.spec.wear.top;
  const dark = shade(colour, -13, 1.1);
  const bust = rig.spec.gender === 'FEMALE' ? 0.55 : 0.26;
  const patch = (points: readonly Point[], fill: string, opacity: number): Patch => ({
    points: placed(rig, points),
    fill,
    opacity,
  });
  const side = [...trunkLine(rig, 1, 205, HEM, 3), ...trunkLine(rig, 1, 205, HEM, -15).reverse()];
  return softly(pens, 5, [
    { points: side, fill: dark, opacity: 0.85 },
    patch(points('30 172, 46 192, 48 214, 34 230, 10 227, 28 216, 38 200'), dark, bust),
    patch(points('-46 204, -36 232, -12 229, -26 222, -38 208'), dark, bust * 0.8),
    patch(points('-38 180, -24 184, -22 204, -32 208, -42 198'), shade(colour, 9), 0.7),
  ]);
}

/** A sleeveless vest. */
export function drawVest(pens: Pens, rig: Rig): string {
  const { shoulder } = rig.proportions;
  const colour = rig.spec.wear.top;
  const curve = neckline(rig);
  const strap = shoulder * (rig.spec.gender === 'MALE' ? 0.8 : 0.72);
  const armhole: Point[] = [
    [strap, shoulderHeight(rig, strap)],
    [strap - 2.5, 170],
    [strap - 0.5, 188],
    [rig.proportions.trunk(208) + 1.4, 208],
  ];
  const sided = (points: readonly Point[], side: -1 | 1): Point[] =>
    placed(
      rig,
      points.map(([x, y]): Point => [x * side, y]),
    );
  // Each edge is its own curve, because one curve through all edges would bulge at the corners of the straps.
  const half = (side: -1 | 1): Point[] => [
    ...trace(sided([...curve].reverse(), side), 5),
    ...trace([...sided(armhole, side), ...trunkLine(rig, side, 222, HEM, 1.4)], 4),
  ];
  const shape = [...half(1), ...half(-1).reverse()];
  const d = polygon(shape);
  const folds: Point[][] = [
    points('-36 292, -22 299, -4 297'),
    points('37 288, 24 297, 8 300'),
    points('38 304, 22 309, 12 316'),
    points('-34 310, -24 314, -14 322'),
    points('50 210, 43 217, 35 220'),
  ];
  return [
    path(d, { fill: colour }),
    group({ 'clip-path': pens.sheet.clip(d) }, vestForm(pens, rig)),
    ...folds.map((fold) =>
      stroke(pens, placed(rig, fold), 1, {
        colour: shade(colour, -38),
        opacity: 0.55,
        ends: [0.6, 0.05],
        press: 0.2,
      }),
    ),
    stroke(pens, sided(curve, -1), 1.2, { ends: [0.5, 0.8] }),
    stroke(pens, sided(curve, 1), 1.2, { ends: [0.5, 0.8] }),
    ...SIDES.flatMap(([, side]) => [
      stroke(
        pens,
        placed(
          rig,
          armhole.map(([x, y]): Point => [x * side, y]),
        ),
        1.2,
      ),
      stroke(pens, trunkLine(rig, side, 208, HEM, 1.4), 1.5, { ends: [0.4, 0.4] }),
    ]),
    stroke(
      pens,
      [
        ...trunkLine(rig, -1, HEM - 4, HEM, 1.4).slice(-1),
        rig.place(0, HEM + 3),
        ...trunkLine(rig, 1, HEM - 4, HEM, 1.4).slice(-1),
      ],
      1.2,
      { ends: [0.5, 0.5] },
    ),
  ].join('');
}
