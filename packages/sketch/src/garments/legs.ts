import { lerp, type Point } from '../drawing/geometry.js';
import { points } from '../drawing/points.js';
import { contour, mirror, type Cloth } from './cloth.js';
import { band, halfOf, type Frame } from './frame.js';
import type { GarmentSpec } from './garment-spec.js';
import { shapeWords } from './tailor.js';
import { both, bothSeams, box, down, twice } from './trims/sewing.js';

/**
 * Half-breadths at waist, hip, knee and hem, and the place of the hem. y counts from the waist's upper edge;
 * the crotch is at 28.
 */
interface LegCut {
  readonly waist: number;
  readonly hip: number;
  readonly thigh: number;
  readonly knee: number;
  readonly hem: number;
  readonly length: number;
  readonly style: 'jeans' | 'tailored' | 'elastic' | 'rib' | 'cargo' | 'sheer' | 'gathered' | 'draped';
}

const leg = (
  waist: number,
  hip: number,
  thigh: number,
  knee: number,
  hem: number,
  length: number,
  style: LegCut['style'],
): LegCut => ({ waist, hip, thigh, knee, hem, length, style });

const LEGS: Readonly<Record<string, LegCut>> = {
  trousers: leg(19, 25.5, 25.5, 11.6, 9.4, 104, 'tailored'),
  jeans: leg(19.4, 25, 25, 11, 9.2, 102, 'jeans'),
  chinos: leg(19.4, 25.4, 25.4, 11.4, 8.6, 101, 'tailored'),
  wide_trousers: leg(18.4, 25.6, 27, 16.8, 18.6, 106, 'tailored'),
  joggers: leg(19.4, 26, 26.4, 12.6, 6.6, 99, 'rib'),
  cargo: leg(19.6, 26, 27, 14, 11.4, 103, 'cargo'),
  shorts: leg(19.4, 25.8, 26.6, 14, 14, 46, 'tailored'),
  leggings: leg(16.6, 22, 22.4, 8.8, 5.6, 94, 'elastic'),
  salwar: leg(20, 31, 34, 22, 8.4, 100, 'gathered'),
  churidar: leg(17.6, 23, 23.4, 9.4, 5.6, 108, 'elastic'),
  tights: leg(14.6, 19.4, 19.8, 8, 5.2, 98, 'sheer'),
};

const LENGTHS: readonly (readonly [RegExp, number])[] = [
  [/micro|hot ?pants/, 36],
  [/mini|\bshort\b/, 42],
  [/bermuda|knee/, 58],
  [/capri|calf|midi/, 80],
  [/crop|ankle/, 92],
  [/full|floor|long|maxi/, 108],
];

function cutOf(key: string, spec: GarmentSpec): LegCut {
  const base = LEGS[key] ?? LEGS['trousers'];
  if (!base) throw new RangeError('the table of legs is empty');
  const words = shapeWords(spec);
  const wide = { slim: 0.88, regular: 1, loose: 1.16 }[spec.fit];
  const hem = /flare|boot ?cut|bell/.test(words)
    ? 1.75
    : /wide|palazzo/.test(words)
      ? 1.7
      : /taper|skinny/.test(words)
        ? 0.72
        : /straight/.test(words)
          ? 1.15
          : 1;
  const named = LENGTHS.find(([pattern]) => pattern.test(`${spec.length} ${spec.form}`.toLowerCase()))?.[1];
  const length =
    named === undefined ? base.length : base.length < 60 ? Math.min(named, 60) : Math.max(named, 58);
  const knee = base.knee * wide * (hem > 1.3 && /wide|palazzo/.test(words) ? 1.35 : 1);
  return { ...base, thigh: base.thigh * (0.7 + 0.3 * wide), knee, hem: base.hem * wide * hem, length };
}

/**
 * The right leg with its half of the hips. The legs stand a little apart, so that the gap between them is
 * visible.
 */
function legShape(cut: LegCut): Point[] {
  const { waist, hip, thigh, knee, hem, length } = cut;
  const kneeY = 58;
  const short = length < kneeY;
  const end = short ? Math.min(thigh * 0.5, 12.5 + (length - 28) * 0.055 - 1.2) : hem;
  const spread = (y: number): number => 12.5 + (y - 28) * 0.055;
  const outer: Point[] = [
    [waist, 0],
    [lerp(waist, hip, 0.72), 11],
    [hip, 21],
    [thigh + 0.4, 31],
  ];
  const bottom = spread(length);
  if (!short)
    outer.push(
      [spread(kneeY) + knee, kneeY],
      [lerp(spread(kneeY) + knee, bottom + end, 0.6), lerp(kneeY, length, 0.6)],
    );
  outer.push([bottom + end, length]);
  const inner: Point[] = [[bottom - end, length + 0.4]];
  if (!short)
    inner.push(
      [lerp(spread(kneeY) - knee, bottom - end, 0.6), lerp(kneeY, length, 0.6)],
      [spread(kneeY) - knee, kneeY],
    );
  inner.push([1.4, 34], [0, 28]);
  return contour(
    outer,
    [
      [bottom + end, length],
      [bottom, length + 0.9],
      [bottom - end, length + 0.4],
    ],
    inner.map(([x, y]): Point => [Math.max(x, 0), y]),
    [
      [0, 28],
      [0, 0],
    ],
  );
}

function gatheredEnds(cloth: Cloth, cut: LegCut): string {
  const y = cut.length;
  const x = 12.5 + (y - 28) * 0.055;
  const cuff: Point[] = [
    [x - cut.hem - 0.3, y - 5],
    [x + cut.hem + 0.3, y - 5.4],
    [x + cut.hem, y + 0.6],
    [x - cut.hem, y + 1],
  ];
  return both(cloth, cuff, { bare: cut.style === 'rib', round: 0.7 });
}

function creases(cloth: Cloth, cut: LegCut): string {
  const hemX = 12.5 + (cut.length - 28) * 0.055;
  const lines: Point[][] = [
    [
      [cut.hip - 1, 20],
      [cut.hip - 7, 24],
      [6, 27],
    ],
    [
      [1, 29.5],
      [7, 32],
      [12, 36],
    ],
  ];
  if (cut.length > 62)
    lines.push([
      [hemX - cut.hem * 0.2, 60],
      [13.4, 52],
      [12.2, 44],
    ]);
  if (cut.style === 'gathered')
    for (const u of [-0.6, -0.2, 0.25, 0.65])
      lines.push([
        [hemX + cut.hem * u, cut.length - 5],
        [hemX + cut.knee * u * 1.1, cut.length - 34],
        [14 + u * 12, 12],
      ]);
  if (cut.style === 'elastic' && cut.length > 104)
    for (let k = 0; k < 5; k++)
      lines.push([
        [hemX - cut.hem, cut.length - 3 - k * 4],
        [hemX, cut.length - 1.4 - k * 4],
        [hemX + cut.hem, cut.length - 3.6 - k * 4],
      ]);
  return cloth.folds(...lines, ...lines.map((l) => mirror(l)));
}

function waistband(cloth: Cloth, cut: LegCut, frame: Frame): string {
  const height = cut.style === 'rib' || cut.style === 'gathered' ? 4.6 : cut.style === 'sheer' ? 3 : 3.8;
  const strip = cloth.piece(band({ ...frame, half: () => cut.waist }, -0.4, height, 0.7), { round: 0.5 });
  if (cut.style === 'rib' || cut.style === 'gathered' || cut.style === 'elastic' || cut.style === 'sheer') {
    const ribs = Array.from({ length: 23 }, (_, i) =>
      cloth.seam(down((i - 11) * cut.waist * 0.088, 0.4, height), 0.22, 0.4),
    ).join('');
    const cord =
      cut.style === 'elastic' || cut.style === 'sheer'
        ? ''
        : [1.4, -1.4]
            .map(
              (x) =>
                `<path d="M${x} ${height - 1}q${x} 6 ${x * 0.4} 12" fill="none" stroke="${cloth.light}" stroke-width=".8" stroke-linecap="round"/>`,
            )
            .join('');
    return strip + ribs + cord;
  }
  const loops = [-0.72, -0.3, 0.3, 0.72]
    .map((u) => cloth.piece(box(u * cut.waist - 0.7, -0.6, 1.4, height + 1.3), { round: 0.3, bare: true }))
    .join('');
  return (
    strip + loops + cloth.button(0, height / 2 + 0.5, 0.8, cut.style === 'jeans' ? '#a9814a' : undefined)
  );
}

function styling(cloth: Cloth, cut: LegCut): string {
  const fly = cloth.seam(down(0, 4, 28), 0.4) + cloth.seam(points('3 4, 3 17, 0.4 22'), 0.28);
  const hemX = 12.5 + (cut.length - 28) * 0.055;
  const hipPocket = (top: Point, out: number, width: number): string =>
    bothSeams(cloth, [top, [cut.hip - out, 18]], width);
  switch (cut.style) {
    case 'jeans': {
      const thread = '#c9954e';
      const stitch = (line: readonly Point[]): string => cloth.stitch(line, thread);
      const pocket: Point[] = [...points('8.4 4, 10 10'), [cut.hip * 0.9, 12.6]];
      const hem: Point[] = [
        [hemX - cut.hem, cut.length - 1],
        [hemX + cut.hem, cut.length - 1.6],
      ];
      const side: Point[] = [
        [cut.hip * 0.97, 20],
        [cut.hip * 0.985, 34],
      ];
      return (
        fly +
        twice(pocket, (p) => cloth.seam(p, 0.5) + stitch(p.map(([x, y]): Point => [x * 0.98, y + 0.9]))) +
        stitch(points('3.5 4.4, 3.5 16.6, 0.9 21.4')) +
        twice(hem, stitch) +
        twice(side, stitch)
      );
    }
    case 'tailored': {
      const crease: Point[] = [...points('10.4 8, 13.6 56'), [hemX, cut.length - 0.6]];
      return (
        fly + hipPocket([11.6, 4], 3, 0.42) + (cut.length > 60 ? bothSeams(cloth, crease, 0.36, 0.5) : '')
      );
    }
    case 'cargo':
      return (
        fly +
        ['18 42, 26.4 41, 27.2 57, 18.6 58', '17.6 41, 26.8 40, 27.2 45.6, 17.8 46.6']
          .map((patch) => both(cloth, points(patch), { round: 0.6 }))
          .join('') +
        hipPocket([11.6, 4], 3, 0.42)
      );
    case 'elastic':
      return cloth.seam(down(0, 4, 28), 0.34);
    case 'sheer':
      return cloth.seam(down(0, 3, 28), 0.3) + cloth.seam(points('-18 20, 0 24, 18 20'), 0.26, 0.5);
    case 'rib':
    case 'gathered':
    case 'draped':
      return cloth.seam(down(0, 5, 28), 0.34) + (cut.style === 'rib' ? hipPocket([12, 5], 2, 0.4) : '');
  }
}

const legFrame = (cut: LegCut): Frame => ({
  top: 0,
  waist: 3,
  hem: cut.length,
  half: halfOf([
    [cut.waist, 0],
    [cut.hip, 21],
    [cut.thigh, 31],
    [13.6 + cut.knee, 58],
    [16 + cut.hem, cut.length],
  ]),
  neck: [0, -1],
  neckline: [
    [0, 0],
    [1, 0],
  ],
  shoulder: [cut.waist, 0],
});

/** Trousers, shorts and other garments for two legs. */
export function drawLegs(cloth: Cloth, key: string, spec: GarmentSpec): { svg: string; frame: Frame } {
  const cut = cutOf(key, spec);
  const shape = legShape(cut);
  const frame = legFrame(cut);
  const ends = cut.style === 'rib' || cut.style === 'gathered' ? gatheredEnds(cloth, cut) : '';
  const opacity = cut.style === 'sheer' ? { opacity: 0.82 } : {};
  const svg =
    cloth.piece(mirror(shape), opacity) +
    cloth.piece(shape, opacity) +
    creases(cloth, cut) +
    styling(cloth, cut) +
    ends +
    waistband(cloth, cut, frame);
  return { svg, frame };
}
