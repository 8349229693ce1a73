import { opposite } from '../drawing/geometry.js';
import { shade } from '../drawing/colour.js';
import { outline, polygon, trace } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { points } from '../drawing/points.js';
import { path } from '../drawing/svg-sheet.js';
import { HeadFrame } from '../face/head-frame.js';
import { drawHand } from '../figure/hand.js';
import { HEAD_DROP } from '../figure/head.js';
import { stroke, type Pens } from '../figure/pens.js';
import type { Rig } from '../figure/rig.js';

const headOf = (rig: Rig): HeadFrame => new HeadFrame(rig.spec, [0, HEAD_DROP]);

/** Lenses over the eyes. They turn with the head, because each point is placed on it. */
export function sunglasses(pens: Pens, rig: Rig, frame: string, glass: string): string {
  const head = headOf(rig);
  const lens = points('4.4 -6, 16 -8.4, 29 -6, 30 2, 25.6 9, 15 10.4, 6.6 6, 4.4 -4');
  const put = (shape: readonly Point[], side: 1 | -1, k = 1): Point[] =>
    shape.map(([x, y]) => head.put((16.8 + (x - 16.8) * k) * side, 51 + y * k, 4));
  const sides = [1, -1] as const;
  return [
    ...sides.map((s) => path(outline(put(lens, s)), { fill: frame })),
    ...sides.map((s) => path(outline(put(lens, s, 0.84)), { fill: glass, 'fill-opacity': 0.95 })),
    ...sides.map((s) =>
      path(outline(put(points('9 -3, 15 -5, 12 3, 9 5'), s, 0.9)), { fill: '#ffffff', 'fill-opacity': 0.26 }),
    ),
    stroke(pens, [head.put(-5, 48, 8), head.put(0, 46, 12), head.put(5, 48, 8)], 2.4, {
      colour: frame,
      ends: [0.9, 0.9],
    }),
  ].join('');
}

export function earrings(pens: Pens, rig: Rig, metal: string, stone: string): string {
  const head = headOf(rig);
  return ([1, -1] as const)
    .map((side) => {
      const [x, y] = head.put((head.half(60) + 2) * side, 68);
      const drop: Point[] = [
        [x - 4.6, y + 13],
        [x - 3, y + 8],
        [x, y + 6],
        [x + 3, y + 8],
        [x + 4.6, y + 13],
        [x, y + 14.6],
      ];
      return [
        `<circle cx="${x.toFixed(1)}" cy="${(y + 1).toFixed(1)}" r="2.6" fill="${stone}" stroke="${pens.palette.line}" stroke-width=".6"/>`,
        path(outline(drop), { fill: metal, stroke: pens.palette.line, 'stroke-width': 0.7 }),
        `<circle cx="${x.toFixed(1)}" cy="${(y + 17).toFixed(1)}" r="1.6" fill="${stone}"/>`,
      ].join('');
    })
    .join('');
}

/** Rings about a wrist, `count` of them, 5 units each. */
export function rings(
  pens: Pens,
  rig: Rig,
  name: 'left' | 'right',
  colours: readonly string[],
  count: number,
): string {
  const arm = rig.arms[name];
  return Array.from({ length: count }, (_, i) => {
    const along = 0.985 - i * 0.022;
    const [a, b] = [arm.point(along, -1, 1.6), arm.point(along, 1, 1.6)];
    const [c, d] = [arm.point(along - 0.02, -1, 1.6), arm.point(along - 0.02, 1, 1.6)];
    const colour = colours[i % colours.length] ?? '#bf9b4e';
    return (
      path(polygon([a, b, d, c]), { fill: colour, stroke: pens.palette.line, 'stroke-width': 0.6 }) +
      stroke(
        pens,
        [
          [a[0] * 0.7 + b[0] * 0.3, a[1] * 0.7 + b[1] * 0.3],
          [a[0] * 0.4 + b[0] * 0.6, a[1] * 0.4 + b[1] * 0.6],
        ],
        1,
        { colour: '#ffffff', opacity: 0.5 },
      )
    );
  }).join('');
}

export function watch(pens: Pens, rig: Rig, name: 'left' | 'right', metal: string): string {
  const arm = rig.arms[name];
  const [x, y] = arm.point(0.965, 0);
  return (
    rings(pens, rig, name, ['#4a3226', '#4a3226'], 2) +
    `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="6.4" fill="${metal}" stroke="${pens.palette.line}" stroke-width=".8"/><circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="4.6" fill="#f7f3ea"/><path d="M${x.toFixed(1)} ${y.toFixed(1)}l-1.6 -2.2M${x.toFixed(1)} ${y.toFixed(1)}l2.4 -1.4" stroke="#3b3530" stroke-width=".8"/>`
  );
}

/** Pens that draw a hand in a glove. */
export const gloved = (pens: Pens, colour: string): Pens => ({
  ...pens,
  palette: {
    ...pens.palette,
    skin: colour,
    skinShade: shade(colour, -13),
    skinLight: shade(colour, 10),
    skinDeep: shade(colour, -20),
  },
});

/** Hands and wrists in another skin. */
export function gloves(pens: Pens, rig: Rig, colour: string): string {
  const worn = gloved(pens, colour);
  return (['left', 'right'] as const)
    .map((name) => {
      const arm = rig.arms[name];
      const cuff = [
        ...trace(arm.edge(1, 0.86, 1, 2.4), 3),
        ...trace(arm.edge(-1, 0.86, 1, 2.4), 3).reverse(),
      ];
      return (
        drawHand(
          worn,
          arm.point(1, 0),
          arm.endAngle + rig.poses[name].handTurn,
          opposite(arm.side),
          rig.proportions.handScale * 1.05,
        ) +
        path(polygon(cuff), { fill: colour }) +
        stroke(pens, arm.edge(1, 0.86, 1, 2.4), 1.3) +
        stroke(pens, arm.edge(-1, 0.86, 1, 2.4), 1.2) +
        stroke(pens, [arm.point(0.86, -1, 2.4), arm.point(0.86, 1, 2.4)], 1.2)
      );
    })
    .join('');
}

export function socks(pens: Pens, rig: Rig, colour: string): string {
  return (['left', 'right'] as const)
    .map((name) => {
      const leg = rig.legs[name];
      const shape = leg.strip(-1, 1, 0.84, 1, 1.4);
      const [x, y] = leg.point(1, 0);
      const foot: Point[] = points('-11 -6, -11 12, -12.6 30, 12 30, 11 12, 11 -6').map(([dx, dy]): Point => [
        x + dx * leg.side,
        y + dy,
      ]);
      return (
        path(polygon(shape), { fill: colour }) +
        path(outline(foot), { fill: colour }) +
        path(outline(leg.sliver(0.2 * leg.side, leg.side, 0.85, 1, 1.4)), {
          fill: shade(colour, -12),
          'fill-opacity': 0.7,
        }) +
        stroke(pens, leg.edge(1, 0.84, 1, 1.4), 1.3) +
        stroke(pens, leg.edge(-1, 0.84, 1, 1.4), 1.2) +
        stroke(pens, [leg.point(0.84, -1, 1.6), leg.point(0.84, 0), leg.point(0.84, 1, 1.6)], 1.4)
      );
    })
    .join('');
}
