import { blend } from '../drawing/colour.js';

export const HAIR_TEXTURES = ['straight', 'wavy', 'curly', 'coily'] as const;
export type HairTexture = (typeof HAIR_TEXTURES)[number];

/**
 * Ranges from which a seed chooses. `skin` indexes the scale below; `textures` and `hair` repeat an entry to
 * make it likelier. The ranges overlap widely on purpose: a casting field narrows a population, but does not
 * fix one look.
 */
export interface Complexion {
  readonly skin: readonly [from: number, to: number];
  readonly hair: readonly HairShade[];
  readonly textures: readonly HairTexture[];
  readonly eyes: readonly EyeShade[];
  /** Chance of an upper lid without a visible crease. */
  readonly smoothLid: number;
  /** Feature breadth around 1. */
  readonly nose: readonly [number, number];
  readonly lips: readonly [number, number];
}

const SKIN = [
  '#fae3d3',
  '#f5d5be',
  '#eec6a6',
  '#e3b38c',
  '#d49e76',
  '#c28860',
  '#a86f4a',
  '#8b5a3c',
  '#70472f',
  '#573524',
  '#45291e',
] as const;

export function skinTone(index: number): string {
  const low = Math.min(SKIN.length - 2, Math.max(0, Math.floor(index)));
  return blend(SKIN[low] ?? SKIN[0], SKIN[low + 1] ?? SKIN[0], Math.min(1, index - low));
}

export const HAIR = {
  black: '#1d1a1c',
  espresso: '#2b1f1b',
  brown: '#4a3226',
  chestnut: '#6b4430',
  auburn: '#7d3f28',
  darkBlond: '#94713f',
  blond: '#c29d5f',
  flaxen: '#d9be86',
  copper: '#a4562e',
} as const;
type HairShade = keyof typeof HAIR;

export const EYES = {
  dark: '#3a2418',
  brown: '#5a3822',
  hazel: '#7a5c30',
  green: '#5f7350',
  blue: '#5b7c96',
  grey: '#77858c',
} as const;
type EyeShade = keyof typeof EYES;

const darkHair: readonly HairShade[] = ['black', 'black', 'espresso', 'brown'];
const darkEyes: readonly EyeShade[] = ['dark', 'brown'];

const southAsian = (from: number, to: number, textures: readonly HairTexture[]): Complexion => ({
  skin: [from, to],
  hair: ['black', 'black', 'espresso', 'brown'],
  textures,
  eyes: ['dark', 'brown', 'brown', 'hazel'],
  smoothLid: 0.04,
  nose: [0.94, 1.12],
  lips: [0.98, 1.2],
});

const african = (from: number, to: number): Complexion => ({
  skin: [from, to],
  hair: ['black', 'black', 'espresso'],
  textures: ['coily', 'coily', 'coily', 'curly'],
  eyes: darkEyes,
  smoothLid: 0.05,
  nose: [1.04, 1.24],
  lips: [1.15, 1.4],
});

const european = (
  from: number,
  to: number,
  hair: readonly HairShade[],
  eyes: readonly EyeShade[],
): Complexion => ({
  skin: [from, to],
  hair,
  textures: ['straight', 'wavy', 'wavy', 'curly'],
  eyes,
  smoothLid: 0.05,
  nose: [0.86, 1.04],
  lips: [0.82, 1.06],
});

const asian = (from: number, to: number, smoothLid: number): Complexion => ({
  skin: [from, to],
  hair: darkHair,
  textures: ['straight', 'straight', 'straight', 'wavy'],
  eyes: darkEyes,
  smoothLid,
  nose: [0.92, 1.1],
  lips: [0.92, 1.12],
});

export const COMPLEXIONS = {
  indian: southAsian(3.2, 6.8, ['straight', 'wavy', 'wavy']),
  pakistani_bangladeshi: southAsian(2.8, 6, ['straight', 'wavy', 'wavy']),
  sri_lankan_nepali: southAsian(3.4, 7.2, ['straight', 'wavy', 'curly']),
  east_asian: asian(0.8, 2.9, 0.6),
  southeast_asian: asian(2.4, 5, 0.35),
  middle_eastern: european(1.9, 4.4, darkHair, ['dark', 'brown', 'hazel', 'green']),
  central_asian: asian(1.4, 3.6, 0.4),
  north_african: {
    ...european(2.6, 5.6, ['black', 'espresso', 'brown'], ['dark', 'brown', 'hazel']),
    textures: ['wavy', 'curly', 'curly'],
  },
  west_african: african(7.6, 9.8),
  east_african: { ...african(7, 9.4), nose: [0.92, 1.1], lips: [1.05, 1.25] },
  southern_african: african(6.6, 9.3),
  black_diaspora: african(5.8, 9.3),
  afro_caribbean: african(5.8, 8.9),
  northern_european: european(
    0,
    1.3,
    ['blond', 'flaxen', 'darkBlond', 'copper', 'chestnut'],
    ['blue', 'grey', 'green', 'hazel'],
  ),
  southern_european: european(
    1.2,
    3.4,
    ['espresso', 'brown', 'chestnut', 'brown'],
    ['brown', 'hazel', 'green', 'dark'],
  ),
  eastern_european: european(
    0.1,
    1.7,
    ['darkBlond', 'blond', 'chestnut', 'brown'],
    ['blue', 'grey', 'green', 'brown'],
  ),
  latin_american: {
    ...european(1.9, 5.8, ['black', 'espresso', 'brown', 'chestnut'], ['dark', 'brown', 'hazel']),
    lips: [0.95, 1.18],
  },
  indigenous_american: asian(3.6, 5.9, 0.2),
  pacific_islander: {
    ...asian(4.4, 6.8, 0.1),
    textures: ['wavy', 'curly', 'wavy'],
    nose: [1, 1.18],
    lips: [1.05, 1.25],
  },
  mixed_heritage: {
    skin: [2, 7],
    hair: ['black', 'espresso', 'brown', 'chestnut'],
    textures: ['wavy', 'curly', 'curly', 'coily', 'straight'],
    eyes: ['dark', 'brown', 'hazel', 'green'],
    smoothLid: 0.12,
    nose: [0.94, 1.14],
    lips: [1, 1.26],
  },
} as const satisfies Record<string, Complexion>;
export type Ethnicity = keyof typeof COMPLEXIONS;

/** Offered after `indian`: narrows the skin range within it. */
export const HERITAGES = {
  himalayan_north: [2.2, 4],
  punjabi_northwest: [2.6, 4.6],
  gangetic_central: [3.8, 6],
  western_coastal: [3.6, 5.6],
  eastern_bengali: [3.8, 6],
  south_indian: [4.6, 7.2],
} as const satisfies Record<string, readonly [number, number]>;
export type Heritage = keyof typeof HERITAGES;
