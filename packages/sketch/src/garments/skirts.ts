import type { Point } from '../drawing/geometry.js';
import { points } from '../drawing/points.js';
import { symmetric, type Cloth } from './cloth.js';
import { band, halfOf, type Frame } from './frame.js';
import type { GarmentSpec } from './garment-spec.js';
import { shapeWords } from './tailor.js';
import { bothSeams, down } from './trims/sewing.js';

interface SkirtCut {
  readonly side: readonly Point[];
  readonly trims: readonly string[];
  readonly folds: number;
}

const skirt = (side: string, folds: number, trims = ''): SkirtCut => ({
  side: points(side),
  folds,
  trims: trims.split(' ').filter(Boolean),
});

const SKIRTS: Readonly<Record<string, SkirtCut>> = {
  skirt: skirt('18 0, 24 18, 29 44, 32 64', 3),
  mini_skirt: skirt('18 0, 22.4 16, 25 40', 1, 'darted'),
  pleated_skirt: skirt('18 0, 25 20, 33 52, 37 72', 0, 'pleats'),
  pencil_skirt: skirt('18 0, 23.6 20, 22.4 44, 20 64', 0, 'darted back_vent'),
  maxi_skirt: skirt('18 0, 25 22, 35 62, 42 100', 5, 'gathered'),
  lehenga: skirt('18 0, 30 24, 50 68, 60 104', 8, 'hem_border second_border gathered'),
};

const SKIRT_LENGTHS: readonly (readonly [RegExp, number])[] = [
  [/micro|mini|thigh/, 40],
  [/above the knee/, 50],
  [/knee/, 58],
  [/midi|calf|tea/, 78],
  [/ankle|maxi/, 98],
  [/floor|full/, 106],
];

function skirtSide(base: SkirtCut, spec: GarmentSpec): Point[] {
  const words = shapeWords(spec);
  const old = base.side[base.side.length - 1]?.[1] ?? 60;
  const named = SKIRT_LENGTHS.find(([pattern]) =>
    pattern.test(`${spec.length} ${spec.form}`.toLowerCase()),
  )?.[1];
  const k = named ? named / old : /\bshort\b/.test(words) ? 0.8 : /\blong\b/.test(words) ? 1.2 : 1;
  const flare = /a[- ]?line|flare|circle|swing|full/.test(words)
    ? 1.25
    : /straight|column|tube/.test(words)
      ? 0.8
      : 1;
  const fit = { slim: 0.92, regular: 1, loose: 1.12 }[spec.fit];
  return base.side.map(([x, y], i): Point => [i === 0 ? x : x * (1 + (flare * fit - 1) * (i / 3)), y * k]);
}

/** Garments that hang from the waist in one piece. */
export function drawSkirt(
  cloth: Cloth,
  key: string,
  spec: GarmentSpec,
): { svg: string; frame: Frame; trims: readonly string[] } {
  const cut = SKIRTS[key] ?? SKIRTS['skirt'];
  if (!cut) throw new RangeError('the table of skirts is empty');
  const side = skirtSide(cut, spec);
  const hem = side[side.length - 1] ?? [30, 60];
  const half = halfOf(side);
  const frame: Frame = {
    top: 0,
    waist: 3,
    hem: hem[1],
    half,
    neck: [0, -1],
    neckline: [
      [0, 0],
      [1, 0],
    ],
    shoulder: [18, 0],
  };
  const shape = symmetric(
    [
      [0, 0.6],
      [side[0]?.[0] ?? 18, 0],
    ],
    side,
    [hem, [hem[0] * 0.5, hem[1] + 1.6], [0, hem[1] + 2]],
  );
  const folds = Array.from({ length: cut.folds }, (_, i): Point[] => {
    const u = ((i + 0.5) / cut.folds) * 1.8 - 0.9;
    const rise = hem[1] * (cut.trims.includes('gathered') ? 0.08 : 0.34 + 0.16 * (i % 2));
    return [
      [u * hem[0], hem[1] - 0.5],
      [u * half((hem[1] + rise) / 2), (hem[1] + rise) / 2],
      [u * half(rise), rise],
    ];
  });
  const extras = [
    cut.trims.includes('darted') ? bothSeams(cloth, points('9 4, 10.4 14'), 0.3) : '',
    cut.trims.includes('back_vent') ? cloth.seam(down(0, hem[1] - 14, hem[1] + 1.6), 0.4) : '',
    cut.trims.includes('gathered')
      ? Array.from({ length: 21 }, (_, i) =>
          cloth.fold(
            [
              [(i - 10) * 1.7, 4.2],
              [(i - 10) * 2, 9 + (i % 3) * 3],
            ],
            1,
            0.7,
          ),
        ).join('')
      : '',
  ];
  const strip = cloth.piece(band({ ...frame, half: () => side[0]?.[0] ?? 18 }, -0.2, 4, 0.7), {
    round: 0.5,
    bare: true,
  });
  return {
    svg: cloth.piece(shape) + cloth.folds(...folds) + extras.join('') + strip,
    frame,
    trims: cut.trims,
  };
}
