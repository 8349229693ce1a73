import type { Point } from '../drawing/geometry.js';
import { HeadFrame } from '../face/head-frame.js';
import { drawHand } from './hand.js';
import { shoulderLine, trunkLine } from './body.js';
import { HEAD_DROP } from './head.js';
import { stroke, type Pens } from './pens.js';
import { SIDES, type Rig } from './rig.js';
import { points } from '../drawing/points.js';

const PENCIL = '#4d5a70';

/** The construction drawing under a croquis: head divisions, axes of shoulders and hips, and the contour in pencil. */
export function drawConstruction(pens: Pens, rig: Rig): string {
  const line = (points: readonly Point[], width = 1.1, opacity = 0.8): string =>
    stroke(pens, points, width, { colour: PENCIL, opacity, ends: [0.3, 0.3] });
  const frame = new HeadFrame(rig.spec, [0, HEAD_DROP]);
  const heads = Array.from({ length: 10 }, (_, i) =>
    line(
      [
        [-170, i * 100],
        [170, i * 100],
      ],
      0.6,
      0.28,
    ),
  );
  const joints = SIDES.flatMap(([name, side]) => {
    const [arm, leg] = [rig.arms[name], rig.legs[name]];
    return [
      line(shoulderLine(rig, side)),
      line(trunkLine(rig, side)),
      line(arm.edge(1)),
      line(arm.edge(-1, 0.1)),
      line(leg.edge(1, 0.05)),
      line(leg.edge(-1, 0.08)),
      line(arm.edge(0), 0.7, 0.35),
      line(leg.edge(0), 0.7, 0.35),
      drawHand(
        { ...pens, palette: { ...pens.palette, skin: '#f4f0e8', skinShade: '#e6e0d6', line: PENCIL } },
        arm.point(1, 0),
        arm.endAngle,
        -side as -1 | 1,
        rig.proportions.handScale,
      ),
    ];
  });
  const { shoulder } = rig.proportions;
  return [
    ...heads,
    line([[0, -10], rig.place(0, 145), rig.place(0, 300), rig.place(0, 410), [0, 900]], 0.7, 0.4),
    line([rig.place(-shoulder - 12, 160), rig.place(shoulder + 12, 160)], 1.4, 0.7),
    line([rig.place(-62, 392), rig.place(62, 392)], 1.4, 0.7),
    line([rig.place(-46, 300), rig.place(46, 300)], 0.9, 0.5),
    ...joints,
    line([...frame.contour(-1), ...frame.contour(1).reverse()], 1.3),
    line(frame.all(points('-34 50, 0 50.5, 34 50')), 0.7, 0.5),
    line(frame.all(points('-20 69, 0 70, 20 69')), 0.6, 0.4),
    line(frame.all(points('-16 80, 0 81, 16 80')), 0.7, 0.5),
    line(frame.all(points('0 4, 0 50, 0 99')), 0.7, 0.5),
  ].join('');
}
