import type { FigureSpec } from '../casting/figure-spec.js';
import { outline, flow } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { element, group, path } from '../drawing/svg-sheet.js';
import { stroke, type Pens } from '../figure/pens.js';
import { drawEye } from './eye.js';
import type { HeadFrame } from './head-frame.js';
import { drawMouth } from './mouth.js';
import { drawNose } from './nose.js';

/** Ears stand behind the face; long hair covers them. */
export function drawEars(pens: Pens, frame: HeadFrame): string {
  const { palette } = pens;
  return ([-1, 1] as const)
    .map((side) => {
      const x = frame.half(54);
      const put = (points: readonly Point[]): Point[] =>
        points.map(([dx, y]) => frame.put((x + dx) * side, y));
      const shell = put([
        [-3, 46],
        [2, 43.5],
        [5.4, 46.5],
        [5.4, 54],
        [3.2, 62],
        [0.4, 67.5],
        [-3, 66],
      ]);
      return [
        path(outline(shell), { fill: palette.skin }),
        path(
          outline(
            put([
              [-2, 50],
              [2.4, 48],
              [3.2, 54],
              [1, 61],
              [-2, 63],
            ]),
          ),
          { fill: palette.skinShade, 'fill-opacity': 0.9 },
        ),
        stroke(pens, shell.slice(0, 7), 1.1),
        stroke(
          pens,
          put([
            [-1, 49],
            [2.6, 48],
            [3, 54],
            [0.6, 60],
          ]),
          0.7,
          { opacity: 0.6 },
        ),
      ].join('');
    })
    .join('');
}

function modelling(pens: Pens, frame: HeadFrame): string {
  const { palette, sheet } = pens;
  const soft = (points: readonly Point[], fill: string, opacity: number, radius: number): string =>
    path(outline(frame.all(points)), { fill, 'fill-opacity': opacity, filter: sheet.blur(radius) });
  const blush = (x: number, opacity: number): string => {
    const [cx, cy] = frame.put(x, 66);
    return element('ellipse', {
      cx: cx.toFixed(2),
      cy: cy.toFixed(2),
      rx: 10,
      ry: 7,
      fill: palette.blush,
      'fill-opacity': opacity,
      filter: sheet.blur(4.2),
    });
  };
  return [
    soft(
      [
        [38, 8],
        [27, 26],
        [25.5, 44],
        [28, 60],
        [22, 76],
        [14, 92],
        [6, 103],
        [24, 104],
        [44, 70],
      ],
      palette.skinShade,
      0.85,
      3.2,
    ),
    soft(
      [
        [40, 30],
        [31.5, 44],
        [31, 60],
        [25.6, 78],
        [15, 96],
        [26, 100],
        [44, 66],
      ],
      palette.skinDeep,
      0.36,
      2.2,
    ),
    soft(
      [
        [-37, 50],
        [-30, 62],
        [-25, 76],
        [-17, 90],
        [-26, 92],
        [-38, 70],
      ],
      palette.skinShade,
      0.5,
      2.6,
    ),
    soft(
      [
        [-40, -4],
        [-34, 34],
        [-22, 21],
        [0, 15],
        [22, 21],
        [34, 34],
        [40, -4],
      ],
      palette.skinShade,
      0.75,
      3.4,
    ),
    soft(
      [
        [-8, 44],
        [-4, 41],
        [0, 43],
        [4, 41],
        [8, 44],
        [5, 49],
        [-5, 49],
      ],
      palette.skinShade,
      0.5,
      2,
    ),
    blush(-20, 0.6),
    blush(21, 0.62),
    soft(
      [
        [-24, 57],
        [-16, 56],
        [-10, 60],
        [-18, 63.5],
        [-25, 62],
      ],
      palette.skinLight,
      0.8,
      1.8,
    ),
    soft(
      [
        [-14, 27],
        [-2, 24],
        [6, 27],
        [0, 34],
        [-12, 34],
      ],
      palette.skinLight,
      0.65,
      3,
    ),
    soft(
      [
        [-5, 91],
        [0, 89.8],
        [4, 91],
        [0, 95],
      ],
      palette.skinLight,
      0.65,
      1.5,
    ),
    soft(
      [
        [-5.5, 58],
        [-7, 66],
        [-9, 72],
        [-12, 74],
        [-9, 66],
      ],
      palette.skinShade,
      0.25,
      1.2,
    ),
  ].join('');
}

function beard(pens: Pens, frame: HeadFrame, spec: FigureSpec): string {
  const kind = spec.face.beard;
  if (kind === 'none') return '';
  const area: Point[] = [
    [-34, 58],
    [-30, 66],
    [-24, 74],
    [-14, 74],
    [-9, 74.6],
    [0, 75.4],
    [9, 74.6],
    [14, 74],
    [24, 74],
    [30, 66],
    [34, 58],
    [36, 80],
    [24, 98],
    [0, 108],
    [-24, 98],
    [-36, 80],
  ];
  const opacity = kind === 'stubble' ? 0.26 : 0.62;
  const random = pens.random.fork('beard');
  const hairs = Array.from({ length: kind === 'stubble' ? 0 : 150 }, () => {
    const side = random.chance(0.5) ? 1 : -1;
    const y = random.between(64, 99);
    const inner = y > 88 ? 0 : y > 75 ? 14 : 25;
    const x = random.between(inner, Math.max(inner + 1, frame.half(y))) * side;
    const from = frame.put(x, y);
    const to = frame.put(x * 0.97, y + random.between(2, 4.2));
    return path(flow([from, to]), {
      stroke: spec.hair.colour,
      'stroke-width': 0.5,
      'stroke-opacity': random.between(0.3, 0.7).toFixed(2),
      fill: 'none',
    });
  });
  const mouthGap = frame.all([
    [-12, 77],
    [0, 75.6],
    [12, 77],
    [13, 82],
    [7, 88],
    [0, 89.4],
    [-7, 88],
    [-13, 82],
  ]);
  return [
    path(outline(frame.all(area)), {
      fill: spec.hair.colour,
      'fill-opacity': opacity,
      filter: pens.sheet.blur(2),
    }),
    ...hairs,
    path(outline(mouthGap), {
      fill: pens.palette.skin,
      'fill-opacity': kind === 'short' ? 0.75 : 0.4,
      filter: pens.sheet.blur(1.6),
    }),
  ].join('');
}

function years(pens: Pens, frame: HeadFrame, maturity: number): string {
  const opacity = 0.1 + 0.36 * maturity;
  const line = (points: readonly Point[], width: number): string =>
    stroke(pens, frame.all(points), width, { opacity, colour: pens.palette.skinDeep });
  return ([-1, 1] as const)
    .flatMap((side) => [
      line(
        [
          [9.5 * side, 70],
          [13.2 * side, 75],
          [14.4 * side, 80],
        ],
        0.8,
      ),
      maturity > 0.6
        ? line(
            [
              [26 * side, 48],
              [29 * side, 47],
              [30.5 * side, 45.6],
            ],
            0.55,
          )
        : '',
      maturity > 0.6
        ? line(
            [
              [26 * side, 51],
              [29 * side, 51.6],
              [30.5 * side, 52.4],
            ],
            0.5,
          )
        : '',
    ])
    .join('');
}

export function drawFace(pens: Pens, frame: HeadFrame, spec: FigureSpec): string {
  const shape = outline(frame.shape());
  return [
    path(shape, { fill: pens.palette.skin }),
    group({ 'clip-path': pens.sheet.clip(shape) }, modelling(pens, frame), beard(pens, frame, spec)),
    years(pens, frame, spec.face.maturity),
    drawNose(pens, frame, spec),
    drawMouth(pens, frame, spec),
    drawEye(pens, frame, spec, -1),
    drawEye(pens, frame, spec, 1),
    stroke(pens, [...frame.contour(-1, 40), ...frame.contour(1, 40, 99).reverse()], 1.15, {
      ends: [0.25, 0.5],
      press: 0.6,
      opacity: 0.9,
    }),
  ].join('');
}
