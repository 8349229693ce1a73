import type { Point } from '../drawing/geometry.js';
import type { Cut, Neckline, Sleeve } from './cuts.js';
import type { GarmentSpec } from './garment-spec.js';

/** All of the caller's words about the shape. */
export const shapeWords = (spec: GarmentSpec): string =>
  [spec.form, spec.length, ...spec.details, spec.direction].join(' ').toLowerCase();

/** Heights of a hem below the neck point, by the words for it. */
const HEMS: readonly (readonly [RegExp, number])[] = [
  [/crop|bolero/, 44],
  [/waist[- ]?length/, 52],
  [/hip[- ]?length/, 70],
  [/micro|mini|thigh/, 84],
  [/above[- ]the[- ]knee/, 92],
  [/knee/, 102],
  [/calf|midi|tea[- ]length/, 118],
  [/ankle|maxi/, 136],
  [/floor|full[- ]length|train/, 146],
];

const NECKLINES: readonly (readonly [RegExp, Neckline, number])[] = [
  [/\bv[- ]?neck|plung/, 'vee', 18],
  [/crew|round neck|jewel neck/, 'crew', 8],
  [/scoop/, 'scoop', 15],
  [/boat|bateau/, 'boat', 5],
  [/square neck/, 'square', 13],
  [/sweetheart/, 'sweetheart', 16],
];

const SLEEVES: readonly (readonly [RegExp, number])[] = [
  [/cap sleeve/, 9],
  [/short sleeve|half sleeve/, 20],
  [/elbow sleeve/, 32],
  [/(three[- ]quarter|3\/4) sleeve/, 44],
  [/(long|full) sleeve/, 59],
];

const WIDTH = { slim: 0.93, regular: 1, loose: 1.13 } as const;

/** Moves the hem: stretches the part below the waist, or the whole side if the hem rises above it. */
function hemmed(side: readonly Point[], waist: number, hem: number): Point[] {
  const armpit = side[0]?.[1] ?? 24;
  const old = side[side.length - 1]?.[1] ?? 68;
  if (hem > waist + 12 && old > waist + 6) {
    const k = (hem - waist) / (old - waist);
    return side.map(([x, y]): Point => (y <= waist ? [x, y] : [x, waist + (y - waist) * k]));
  }
  const k = (hem - armpit) / (old - armpit);
  return side.map(([x, y]): Point => [x, armpit + (y - armpit) * k]);
}

function lengthOf(spec: GarmentSpec, old: number): number {
  const words = `${spec.length} ${spec.form}`.toLowerCase();
  const named = HEMS.find(([pattern]) => pattern.test(words.replace(/sleeve\w*/g, '')))?.[1];
  if (named) return Math.min(named, old > 90 ? 150 : 120);
  if (/\bshort\b/.test(words)) return 24 + (old - 24) * 0.8;
  if (/\b(long|longline|tall)\b/.test(words)) return old * (old > 90 ? 1.1 : 1.25);
  return old;
}

function sleeveOf(spec: GarmentSpec, cut: Cut, width: number): Sleeve | undefined {
  const words = shapeWords(spec);
  if (/sleeveless|strapless|halter/.test(words)) return undefined;
  const length = SLEEVES.find(([pattern]) => pattern.test(words))?.[1];
  if (!cut.sleeve && !length && !/puff|bell|bishop|balloon/.test(words)) return undefined;
  const usual: Sleeve = cut.sleeve ?? { shape: 'set', length: length ?? 20, slant: 36, cuff: 8 };
  const shape = /puff|balloon/.test(words)
    ? 'puff'
    : /bell|flutter|trumpet|flared sleeve/.test(words)
      ? 'bell'
      : /bishop/.test(words)
        ? 'bishop'
        : usual.shape;
  const wide = shape === 'bell' && usual.shape !== 'bell' ? 1.7 : 1;
  return { ...usual, shape, length: length ?? usual.length, cuff: usual.cuff * width * wide };
}

/** The cut that the caller ordered: fit, length, neckline and sleeves. */
export function tailored(cut: Cut, spec: GarmentSpec): Cut {
  const words = shapeWords(spec);
  const width = WIDTH[spec.fit] * (/oversiz/.test(words) ? 1.08 : 1);
  const old = cut.side[cut.side.length - 1]?.[1] ?? 68;
  const flare = /a[- ]?line|flare|swing|skater/.test(words)
    ? 1.22
    : /straight|column|shift/.test(words)
      ? 0.86
      : 1;
  const side = hemmed(cut.side, cut.waist, lengthOf(spec, old)).map(([x, y]): Point => {
    const below = Math.max(0, Math.min(1, (y - cut.waist) / 40));
    return [x * width * (1 + (flare - 1) * below), y];
  });
  const sleeve = sleeveOf(spec, cut, width);
  const neckline = NECKLINES.find(([pattern]) => pattern.test(words));
  const { sleeve: _usual, ...rest } = cut;
  const strapless = /strapless|off[- ](the[- ])?shoulder/.test(words);
  return {
    ...rest,
    side,
    ...(sleeve ? { sleeve } : {}),
    shoulder: [cut.shoulder[0] * (1 + (width - 1) * 0.6), cut.shoulder[1]],
    ...(neckline && cut.front !== 'double' ? { neckline: [neckline[1], neckline[2]] as const } : {}),
    ...(/mandarin|band collar|nehru collar|grandad/.test(words) ? { collar: 'stand' as const } : {}),
    ...(/turtle|polo neck|roll neck|funnel/.test(words) && cut.front === 'closed'
      ? { collar: 'roll' as const, neckline: ['crew', 1] as const }
      : {}),
    ...(/hood/.test(words) ? { collar: 'hood' as const } : {}),
    ...(strapless && cut.straps ? { straps: -cut.straps } : {}),
  };
}
