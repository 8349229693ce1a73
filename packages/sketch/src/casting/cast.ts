import { shade } from '../drawing/colour.js';
import { SeededRandom } from '../drawing/seeded-random.js';
import {
  COMPLEXIONS,
  EYES,
  HAIR,
  HERITAGES,
  skinTone,
  type Complexion,
  type Ethnicity,
  type HairTexture,
  type Heritage,
} from './complexion.js';
import {
  AGE_RANGES,
  BODY_TYPES,
  type AgeRange,
  type BaseWear,
  type BodyType,
  type FaceSpec,
  type FigureSpec,
  type Gender,
  type HairStyle,
} from './figure-spec.js';

const STYLES: Record<Gender, Record<HairTexture, readonly HairStyle[]>> = {
  FEMALE: {
    straight: ['long_loose', 'long_loose', 'bob', 'bun', 'ponytail', 'pixie'],
    wavy: ['long_loose', 'long_loose', 'bob', 'bun', 'ponytail'],
    curly: ['long_loose', 'cloud', 'bob', 'bun'],
    coily: ['cloud', 'braids', 'bun', 'cloud', 'buzz'],
  },
  MALE: {
    straight: ['crop', 'side_part', 'swept_back'],
    wavy: ['side_part', 'swept_back', 'crop'],
    curly: ['curly_top', 'crop', 'curly_top'],
    coily: ['buzz', 'curly_top', 'cloud', 'buzz'],
  },
};

const WARDROBE: readonly Omit<BaseWear, 'neckline'>[] = [
  { top: '#f1ece3', bottom: '#2f3136', shoes: '#26262a' },
  { top: '#d9cfc1', bottom: '#8d8377', shoes: '#5e4a3b' },
  { top: '#33373d', bottom: '#b9ad9d', shoes: '#2b2a2c' },
  { top: '#e7e4de', bottom: '#5d6b78', shoes: '#8a6a4f' },
  { top: '#b7bfb4', bottom: '#f0ebe1', shoes: '#6d5846' },
  { top: '#c9b3a3', bottom: '#3d3a3c', shoes: '#2f2724' },
];

/** The fields of a body that cast a figure, under the same names as in the meta of its picture. */
export interface Casting {
  readonly gender?: Gender;
  readonly ethnicity?: Ethnicity;
  /** Counts with the ethnicity `indian` only. */
  readonly heritage?: Heritage;
  readonly body_type?: BodyType;
  readonly age_range?: AgeRange;
}

const keys = <K extends string>(table: Record<K, unknown>): K[] =>
  // The cast is safe although Object.keys returns strings: the tables are literal objects without other keys.
  Object.keys(table) as K[];

const known = <T extends string>(value: unknown, allowed: readonly T[]): T | undefined =>
  allowed.find((one) => one === value);

/** The casting in a picture's meta or a preset's spec. Values that this engine does not know are ignored. */
export function castingIn(facts: Readonly<Record<string, unknown>>): Casting {
  const gender = known(facts['gender'], ['FEMALE', 'MALE']);
  const ethnicity = known(facts['ethnicity'], keys(COMPLEXIONS));
  const heritage = known(facts['heritage'], keys(HERITAGES));
  const bodyType = known(facts['body_type'], BODY_TYPES);
  const ageRange = known(facts['age_range'], AGE_RANGES);
  return {
    ...(gender && { gender }),
    ...(ethnicity && { ethnicity }),
    ...(heritage && { heritage }),
    ...(bodyType && { body_type: bodyType }),
    ...(ageRange && { age_range: ageRange }),
  };
}

/** Casts a figure: takes the fields of the casting, and lets the seed choose the rest. */
export function cast(casting: Casting, seed: number): FigureSpec {
  const random = new SeededRandom(seed);
  const choose = random.fork('casting');
  const gender = casting.gender ?? choose.pick(['FEMALE', 'MALE']);
  const ethnicity = casting.ethnicity ?? choose.pick(keys(COMPLEXIONS));
  const { heritage } = casting;
  const bodyType = casting.body_type ?? choose.pick(['slim', 'athletic', 'balanced']);
  const ageRange = casting.age_range ?? choose.pick(AGE_RANGES);
  const complexion: Complexion = COMPLEXIONS[ethnicity];
  const range = ethnicity === 'indian' && heritage ? HERITAGES[heritage] : complexion.skin;
  const look = random.fork('look');
  const texture = look.pick(complexion.textures);
  return {
    gender,
    ethnicity,
    ...(ethnicity === 'indian' && heritage ? { heritage } : {}),
    bodyType,
    ageRange,
    skin: skinTone(look.between(range[0], range[1])),
    hair: {
      colour: shade(HAIR[look.pick(complexion.hair)], look.wobble(3)),
      texture,
      style: look.pick(STYLES[gender][texture]),
    },
    face: castFace(complexion, gender, ageRange, bodyType === 'fuller' ? 1.06 : 1, random.fork('face')),
    wear: { ...random.fork('wear').pick(WARDROBE), neckline: look.pick(['scoop', 'crew', 'vee']) },
    lean: look.chance(0.5) ? 1 : -1,
    stance: random.fork('stance').pick(['relaxed', 'hand_on_hip', 'hand_on_hip', 'relaxed']),
    random,
  };
}

function castFace(
  complexion: Complexion,
  gender: Gender,
  ageRange: AgeRange,
  fullness: number,
  random: SeededRandom,
): FaceSpec {
  const male = gender === 'MALE';
  const maturity = AGE_RANGES.indexOf(ageRange) / (AGE_RANGES.length - 1);
  const beards: readonly FaceSpec['beard'][] =
    maturity < 0.2 ? ['none', 'none', 'stubble'] : ['none', 'stubble', 'short', 'stubble'];
  return {
    breadth: random.between(0.95, 1.03) * fullness * (1.015 - 0.03 * maturity),
    jaw: random.between(0.94, 1.06) * (male ? 1.02 : 1) * (0.985 + 0.03 * maturity),
    eyeColour: EYES[random.pick(complexion.eyes)],
    eyeSize: random.between(0.96, 1.06) * (male ? 0.9 : 1) * (1.02 - 0.05 * maturity),
    eyeTilt: random.between(0.02, 0.12),
    smoothLid: random.chance(complexion.smoothLid),
    browWeight: random.between(0.85, 1.15) * (male ? 1.35 : 1),
    browArch: random.between(0.6, 1.2) * (male ? 0.55 : 1),
    noseBreadth: random.between(complexion.nose[0], complexion.nose[1]) * (male ? 1.1 : 1),
    lipFullness: random.between(complexion.lips[0], complexion.lips[1]) * (male ? 0.82 : 1),
    mouthBreadth: random.between(0.94, 1.08) * (male ? 1.05 : 1),
    smile: random.between(0.05, 0.7),
    beard: male ? random.pick(beards) : 'none',
    maturity,
    yaw: random.between(0.1, 0.24) * (random.chance(0.5) ? 1 : -1),
    tilt: random.wobble(0.07),
  };
}
