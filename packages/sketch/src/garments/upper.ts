import { lerp, type Point } from '../drawing/geometry.js';
import { contour, mirror, symmetric, type Cloth } from './cloth.js';
import { drawCollar } from './collars.js';
import type { Cut, Neckline } from './cuts.js';
import { halfOf, type Frame, type SleeveFrame } from './frame.js';
import { drawFront } from './fronts.js';
import { both } from './trims/sewing.js';
import { shade } from '../drawing/colour.js';
import { polygon } from '../drawing/curve.js';
import { group } from '../drawing/svg-sheet.js';

const roundNeck = (n: number, d: number): Point[] => [
  [0, d],
  [n * 0.5, d * 0.87],
  [n * 0.86, d * 0.48],
  [n, 0],
];

const NECKLINES: Readonly<Record<Neckline, (n: number, d: number) => Point[]>> = {
  crew: roundNeck,
  stand: roundNeck,
  scoop: (n, d) => [
    [0, d],
    [n * 0.58, d * 0.88],
    [n * 0.92, d * 0.46],
    [n, 0],
  ],
  vee: (n, d) => [
    [0, d],
    [n * 0.5, d * 0.53],
    [n * 0.82, d * 0.2],
    [n, 0],
  ],
  boat: (n, d) => [
    [0, d],
    [n * 0.7, d * 0.8],
    [n * 1.2, d * 0.3],
    [n * 1.35, 0.6],
  ],
  square: (n, d) => [
    [0, d],
    [n * 0.92, d - 0.3],
    [n, 0],
  ],
  sweetheart: (n, d) => [
    [0, d],
    [n * 0.3, d * 0.8],
    [n * 0.72, d * 0.68],
    [n, 0],
  ],
};

/** The right sleeve: its outline from the shoulder around the cuff to the armpit, and the place of its end. */
function sleeveShape(cut: Cut, armpit: Point): { shape: Point[]; frame: SleeveFrame } | undefined {
  const { sleeve, shoulder: s } = cut;
  if (!sleeve) return undefined;
  const { shape, length, cuff } = sleeve;
  const slant = ((sleeve.slant + (length > 30 && shape !== 'wide' ? 6 : 2)) * Math.PI) / 180;
  const d: Point = [Math.sin(slant), Math.cos(slant)];
  const n: Point = [d[1], -d[0]];
  const from = (p: Point, down: number, out: number): Point => [
    p[0] + d[0] * down + n[0] * out,
    p[1] + d[1] * down + n[1] * out,
  ];
  const full = shape === 'puff' ? 6 : shape === 'wide' ? 0.4 : length > 30 ? 3.6 : 2.2;
  const ends = shape === 'bell' ? cuff * 0.4 : shape === 'puff' ? 0.5 : 0.6;
  const outer = from(s, length, ends);
  const inner = from(outer, shape === 'wide' ? 1.5 : 0, -2 * cuff);
  const belly = shape === 'bishop' || shape === 'puff' ? 4.4 : shape === 'bell' ? -1.6 : 0;
  const upper: Point[] = [
    s,
    from(s, Math.min(9, length * 0.25), full),
    from(s, length * 0.62, full * (shape === 'puff' ? 1.1 : 0.75) + belly * 0.5),
    outer,
  ];
  const low: Point = [lerp(inner[0], armpit[0], 0.42), lerp(inner[1], armpit[1], 0.42)];
  const lower: Point[] = [inner, [low[0] - n[0] * belly * 0.8, low[1] - n[1] * belly * 0.8], armpit];
  // The sleeve reaches under the body, so that no gap opens when it is worn and turns around the shoulder.
  const hole: Point[] = [
    armpit,
    [armpit[0] - 4, armpit[1] - 1.5],
    [s[0] - 6, lerp(s[1], armpit[1], 0.5)],
    [s[0] - 3.5, s[1] + 0.6],
    s,
  ];
  return {
    shape: contour(upper, [outer, inner], lower, hole),
    frame: { outer, inner, armpit, down: d, slant: (slant * 180) / Math.PI },
  };
}

function bodyShape(cut: Cut, neckline: readonly Point[]): Point[] {
  const armpit = cut.side[0] ?? [24, 24];
  const hem = cut.side[cut.side.length - 1] ?? [24, 68];
  const [, neckDepth] = cut.neckline;
  const bottom: Point[] = cut.trims.includes('curved_hem')
    ? [hem, [hem[0] * 0.94, hem[1] + 1.5], [hem[0] * 0.5, hem[1] + 6.5], [0, hem[1] + 7]]
    : cut.trims.includes('pointed_front')
      ? [hem, [hem[0] * 0.32, hem[1] + 7]]
      : cut.trims.includes('rounded_front')
        ? [hem, [hem[0] * 0.6, hem[1] + 2], [4, hem[1] + 1.4], [0.6, hem[1] - 7]]
        : [hem, [hem[0] * 0.5, hem[1] + 1.4], [0, hem[1] + 1.6]];
  const under: Point[] = cut.trims.includes('pointed_front')
    ? [
        [hem[0] * 0.32, hem[1] + 7],
        [1, hem[1] + 1],
      ]
    : [];
  if (cut.straps) {
    const x = Math.abs(cut.straps);
    const top: Point = [x, neckDepth - 8];
    const bust: Point[] =
      cut.neckline[0] === 'sweetheart'
        ? [[0, neckDepth], [2.6, neckDepth - 3.6], [7.4, neckDepth - 6.6], top]
        : [[0, neckDepth], [x * 0.5, neckDepth - 3], top];
    return symmetric(bust, [top, [lerp(x, armpit[0], 0.7), armpit[1] - 3.4], armpit], cut.side, bottom);
  }
  const neckEnd = neckline[neckline.length - 1] ?? [cut.neck, 0];
  const armhole: Point[] =
    cut.sleeve?.shape === 'wide' || cut.trims.includes('arm_slits')
      ? [
          cut.shoulder,
          [lerp(cut.shoulder[0], armpit[0], 0.5) + 2, lerp(cut.shoulder[1], armpit[1], 0.5)],
          armpit,
        ]
      : [cut.shoulder, [cut.shoulder[0] - 1.8, lerp(cut.shoulder[1], armpit[1], 0.55)], armpit];
  return symmetric(neckline, [neckEnd, cut.shoulder], armhole, cut.side, bottom, under);
}

function straps(cloth: Cloth, cut: Cut): string {
  if (!cut.straps || cut.straps < 0) return '';
  const [x, y] = [cut.straps, cut.neckline[1] - 8];
  const strap: Point[] = [
    [x - 0.9, y + 0.6],
    [cut.shoulder[0] - 0.9, cut.shoulder[1]],
    [cut.shoulder[0] + 0.5, cut.shoulder[1]],
    [x + 0.7, y + 0.6],
  ];
  return both(cloth, strap, { round: 0.4 });
}

/** The inside of the back, seen through the neckline when the garment lies flat. */
function insideBack(cloth: Cloth, cut: Cut, neckline: readonly Point[]): string {
  if (cut.straps) {
    const armpit = cut.side[0] ?? [22, 22];
    const back = symmetric(
      [[0, armpit[1] - 3], [armpit[0] * 0.6, armpit[1] - 3], armpit],
      [armpit, [0, armpit[1] + 12]],
    );
    return cloth.piece(back, { colour: cloth.dark, bare: true, round: 0.5, sheen: 0 });
  }
  const shape = symmetric(
    [
      [0, 1.6],
      [cut.neck * 0.6, 1.2],
      [cut.neck, 0],
    ],
    [...neckline].reverse(),
  );
  return cloth.piece(shape, {
    colour: shade(cloth.fabric.colour, -14, 0.9),
    bare: true,
    round: 0.8,
    sheen: 0,
    opacity: 1,
  });
}

function bodyFolds(cloth: Cloth, cut: Cut): string {
  const half = halfOf(cut.side);
  const armpit = cut.side[0] ?? [24, 24];
  const hem = cut.side[cut.side.length - 1]?.[1] ?? 68;
  const { waist } = cut;
  const lines: Point[][] = [];
  const both = (line: Point[]): void =>
    void lines.push(
      line,
      mirror(line).map(([x, y], i): Point => [x + i * 0.4, y + 1.2]),
    );
  if (cut.sleeve)
    both([
      [armpit[0] - 0.6, armpit[1] + 0.5],
      [armpit[0] - 5, armpit[1] + 4.5],
      [armpit[0] - 8, armpit[1] + 9],
    ]);
  if (hem > waist + 10)
    both([
      [half(waist) - 0.6, waist + 1],
      [half(waist) - 5, waist - 1.2],
      [half(waist) - 9, waist - 1],
    ]);
  const flare = half(hem) / half(waist);
  if (flare > 1.18) {
    const count = Math.min(5, Math.round((flare - 1) * 4) + 1);
    for (let k = 0; k < count; k++) {
      const u = 0.18 + (0.68 * k) / Math.max(1, count - 1 || 1);
      const rise = lerp(hem, waist, 0.5 + 0.3 * ((k * 7) % 3) * 0.4);
      both([
        [half(hem) * u, hem - 0.4],
        [half(lerp(hem, rise, 0.5)) * u * 0.96, lerp(hem, rise, 0.5)],
        [half(rise) * u * 0.92, rise],
      ]);
    }
  }
  return cloth.folds(...lines);
}

function sleeveFolds(cloth: Cloth, frame: SleeveFrame, armpit: Point): string {
  const { outer, inner, down } = frame;
  const mid: Point = [lerp(inner[0], armpit[0], 0.45), lerp(inner[1], armpit[1], 0.45)];
  const cross: Point = [outer[0] - inner[0], outer[1] - inner[1]];
  const fold = (from: Point, reach: number, drop: number): Point[] =>
    [0, 0.5, 1].map((t): Point => [
      from[0] + cross[0] * reach * t + down[0] * drop * t,
      from[1] + cross[1] * reach * t + down[1] * drop * t,
    ]);
  const long = Math.hypot(outer[0] - armpit[0], outer[1] - armpit[1]) > 34;
  if (!long) return cloth.folds(fold(armpit, 0.4, 4));
  return cloth.folds(
    fold(mid, 0.5, 3),
    fold([mid[0] - down[0] * 5, mid[1] - down[1] * 5], 0.4, -2),
    fold(armpit, 0.5, 8),
  );
}

interface UpperDrawing {
  /** Sleeves, which lie under the body's edge. */
  readonly arms: string;
  readonly body: string;
  readonly frame: Frame;
}

/**
 * A garment that hangs from the shoulders. `frame` gives the places of trims. `worn` leaves out the parts that
 * are only visible when it lies flat.
 */
export function drawUpper(cloth: Cloth, cut: Cut, worn: boolean): UpperDrawing {
  const armpit = cut.side[0] ?? [24, 24];
  const neckline = NECKLINES[cut.neckline[0]](cut.neck, cut.neckline[1]);
  const sleeve = sleeveShape(cut, armpit);
  const shape = bodyShape(cut, neckline);
  const frame: Frame = {
    top: 0,
    waist: cut.waist,
    hem: cut.side[cut.side.length - 1]?.[1] ?? 68,
    half: halfOf(cut.side),
    neck: [cut.neck, cut.neckline[1]],
    neckline,
    shoulder: cut.shoulder,
    ...(sleeve ? { sleeve: sleeve.frame } : {}),
    pieces: [shape, ...(sleeve ? [sleeve.shape, mirror(sleeve.shape)] : [])],
  };
  const arms = sleeve
    ? [
        cloth.piece(sleeve.shape, { turn: -sleeve.frame.slant }),
        cloth.piece(mirror(sleeve.shape), { turn: sleeve.frame.slant }),
        ...[sleeve.shape, mirror(sleeve.shape)].map((shape, i) =>
          group(
            { 'clip-path': cloth.sheet.clip(polygon(shape)) },
            group(
              { transform: i === 0 ? undefined : 'scale(-1 1)' },
              sleeveFolds(cloth, sleeve.frame, armpit),
            ),
          ),
        ),
      ].join('')
    : '';
  const body = [
    worn ? '' : insideBack(cloth, cut, neckline),
    straps(cloth, cut),
    cloth.piece(shape),
    group({ 'clip-path': cloth.sheet.clip(polygon(shape)) }, bodyFolds(cloth, cut)),
    drawFront(cloth, cut, frame),
    drawCollar(cloth, cut, frame, worn),
  ].join('');
  return { arms, body, frame };
}
