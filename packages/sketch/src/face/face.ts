import type { FigureSpec } from '../casting/figure-spec.js';
import { outline, flow } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { group, path } from '../drawing/svg-sheet.js';
import { stroke, type Pens, type Palette } from '../figure/pens.js';
import { drawEye, eyeShade } from './eye.js';
import type { HeadFrame } from './head-frame.js';
import { drawMouth } from './mouth.js';
import { softly, type Patch } from './soft-shading.js';
import { points } from '../drawing/points.js';
import { lightness } from '../drawing/colour.js';

/** The bridge stands out less than the tip, so the tip moves furthest when the head turns. */
const placer =
  (frame: HeadFrame, spec: FigureSpec) =>
  (points: readonly Point[]): Point[] =>
    points.map(([x, y]) => frame.put(x * spec.face.noseBreadth, y, 1 + 9 * Math.max(0, (y - 44) / 24)));

/** The side plane, the plane below, and the light on the bridge, already placed on the face. */
function noseShade(palette: Palette, frame: HeadFrame, spec: FigureSpec): Patch[] {
  const put = placer(frame, spec);
  const { skinShade, skinLight } = palette;
  return [
    {
      points: put(points('3.4 44, 2.8 56, 3.6 65, 8.6 69, 9.4 62, 7.4 52, 8 43')),
      fill: skinShade,
      opacity: 0.85,
    },
    {
      points: put(points('-6.4 70.8, 0 73.2, 7.4 70.4, 4 75.6, 0 77, -4 75')),
      fill: skinShade,
      opacity: 0.85,
    },
    {
      points: put(points('-2 45, -0.2 45, 0 58, -0.8 65, -2.6 57')),
      fill: skinLight,
      opacity: 0.95,
    },
    {
      points: put(points('-3 65.4, 0 64, 1.8 66, 0 68.2, -2.4 67.8')),
      fill: '#fff3e8',
      opacity: lightness(palette.skin) < 52 ? 0.28 : 0.7,
    },
  ];
}

function drawNose(pens: Pens, frame: HeadFrame, spec: FigureSpec): string {
  const put = placer(frame, spec);
  const turn = spec.face.yaw > 0 ? 1 : -1;
  const bridge: Point[] = [
    [5.2 * turn, 43],
    [3.5 * turn, 48.5],
    [3 * turn, 56],
    [4.2 * turn, 62],
  ];
  return [
    stroke(pens, put(bridge), 0.7, { opacity: 0.36, ends: [0.1, 0.2], press: 0.6 }),
    stroke(pens, put(points('-7.2 66.4, -7.8 69, -6.2 71.2')), 0.85, { ends: [0.2, 0.3], opacity: 0.6 }),
    stroke(pens, put(points('7.2 66.4, 7.8 69, 6.2 71.2')), 0.9, { ends: [0.2, 0.3], opacity: 0.75 }),
    stroke(pens, put(points('-5.6 71, -3.7 70.1, -1.8 71.5')), 1.25, { ends: [0.25, 0.25], opacity: 0.9 }),
    stroke(pens, put(points('5.6 71, 3.7 70.1, 1.8 71.5')), 1.25, { ends: [0.25, 0.25], opacity: 0.9 }),
    stroke(pens, put(points('-1.8 71.8, 0 72.6, 1.8 71.8')), 0.7, { opacity: 0.5 }),
  ].join('');
}

/** Ears stand behind the face; long hair covers them. */
export function drawEars(pens: Pens, frame: HeadFrame): string {
  const { palette } = pens;
  return ([-1, 1] as const)
    .map((side) => {
      const x = frame.half(54);
      const put = (points: readonly Point[]): Point[] =>
        points.map(([dx, y]) => frame.put((x + dx) * side, y));
      const shell = put(points('-3 46, 2 43.5, 5.4 46.5, 5.4 54, 3.2 62, 0.4 67.5, -3 66'));
      return [
        path(outline(shell), { fill: palette.skin }),
        path(outline(put(points('-2 50, 2.4 48, 3.2 54, 1 61, -2 63'))), {
          fill: palette.skinShade,
          'fill-opacity': 0.9,
        }),
        stroke(pens, shell.slice(0, 7), 1.1),
        stroke(pens, put(points('-1 49, 2.6 48, 3 54, 0.6 60')), 0.7, { opacity: 0.6 }),
      ].join('');
    })
    .join('');
}

const ring = (cx: number, cy: number, rx: number, ry: number): Point[] =>
  Array.from({ length: 8 }, (_, i): Point => [
    cx + rx * Math.cos((i * Math.PI) / 4),
    cy + ry * Math.sin((i * Math.PI) / 4),
  ]);

/**
 * The planes of the head. The far side lies in shade; cheekbones and forehead catch the light from the upper
 * left.
 */
function modelling(pens: Pens, frame: HeadFrame, spec: FigureSpec): string {
  const { palette } = pens;
  const patch = (points: readonly Point[], fill: string, opacity: number): Patch => ({
    points: frame.all(points),
    fill,
    opacity,
  });
  const { skinShade, skinDeep, skinLight, blush } = palette;
  const male = spec.gender === 'MALE';
  return [
    softly(pens, 3.2, [
      patch(points('38 8, 28 26, 27 44, 29 60, 23 76, 15 92, 6 103, 24 104, 44 70'), skinShade, 0.8),
      patch(points('40 30, 32.5 44, 32 60, 27 78, 16 97, 26 100, 44 66'), skinDeep, 0.34),
      patch(points('-37 52, -31 63, -26 77, -18 91, -26 94, -39 72'), skinShade, 0.45),
      patch(points('-40 -6, -35 34, -22 21, 0 16, 22 21, 35 34, 40 -6'), skinShade, 0.8),
      patch(ring(-21, 66, 10, 6.4), blush, male ? 0.34 : 0.6),
      patch(ring(22, 66, 9, 6.4), blush, male ? 0.32 : 0.58),
      patch(points('-14 27, -2 24, 6 27, 0 34, -12 34'), skinLight, 0.7),
    ]),
    softly(pens, 1.5, [
      patch(points('-7.4 44, -4 40.6, 0 43, 4 40.6, 7.4 44, 5 49.4, -5 49.4'), skinShade, 0.45),
      patch(points('-25 57, -17 55.6, -10 59.6, -18 63, -26 62'), skinLight, 0.85),
      patch(points('-5 91, 0 89.8, 4 91, 0 95'), skinLight, 0.7),
      ...eyeShade(palette, spec).map((shape): Patch => ({ ...shape, points: frame.all(shape.points) })),
      ...noseShade(palette, frame, spec),
    ]),
  ].join('');
}

function beard(pens: Pens, frame: HeadFrame, spec: FigureSpec): string {
  const kind = spec.face.beard;
  if (kind === 'none') return '';
  const area: Point[] = points(
    '-34 58, -30 66, -24 74, -14 74, -9 74.6, 0 75.4, 9 74.6, 14 74, 24 74, 30 66, 34 58, 36 80, 24 98, 0 108, -24 98, -36 80',
  );
  const opacity = kind === 'stubble' ? 0.2 : 0.6;
  const random = pens.random.fork('beard');
  const hairs = Array.from({ length: kind === 'stubble' ? 0 : 150 }, () => {
    const side = random.chance(0.5) ? 1 : -1;
    const y = random.between(70, 99);
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
  const mouthGap = frame.all(points('-12 77, 0 75.6, 12 77, 13 82, 7 88, 0 89.4, -7 88, -13 82'));
  return [
    path(outline(frame.all(area)), {
      fill: spec.hair.colour,
      'fill-opacity': opacity,
      filter: pens.sheet.blur(kind === 'stubble' ? 4 : 2.2),
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
    group({ 'clip-path': pens.sheet.clip(shape) }, modelling(pens, frame, spec), beard(pens, frame, spec)),
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
