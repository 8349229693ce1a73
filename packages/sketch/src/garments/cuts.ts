import type { Point } from '../drawing/geometry.js';
import { points } from '../drawing/points.js';

export type Neckline = 'crew' | 'scoop' | 'vee' | 'boat' | 'square' | 'sweetheart' | 'stand';
type SleeveShape = 'set' | 'puff' | 'bell' | 'bishop' | 'wide';
type Collar = 'none' | 'shirt' | 'stand' | 'roll' | 'notch' | 'shawl' | 'biker' | 'hood' | 'rib' | 'coat';
type Front = 'closed' | 'placket' | 'half' | 'buttons' | 'double' | 'zip' | 'slant_zip' | 'open' | 'wrap';

export interface Sleeve {
  readonly shape: SleeveShape;
  readonly length: number;
  /** Degrees from straight down. */
  readonly slant: number;
  /** Half-breadth at the end. */
  readonly cuff: number;
}

/**
 * The cut of a garment that hangs from the shoulders. Centimetres; x from the middle line, y down from the neck
 * point.
 */
export interface Cut {
  readonly neck: number;
  readonly shoulder: readonly [x: number, y: number];
  readonly neckline: readonly [Neckline, depth: number];
  /** Right edge from the armpit to the hem. */
  readonly side: readonly Point[];
  readonly sleeve?: Sleeve;
  /** Half-distance of thin straps in place of shoulders. */
  readonly straps?: number;
  readonly collar: Collar;
  readonly front: Front;
  /** Names of `trims`. */
  readonly trims: readonly string[];
  /** The waist's height, if there is one: belts and skirts start there. */
  readonly waist: number;
}

const set = (length: number, slant: number, cuff: number, shape: SleeveShape = 'set'): Sleeve => ({
  shape,
  length,
  slant,
  cuff,
});

const cut = (
  neck: number,
  shoulder: readonly [number, number],
  neckline: readonly [Neckline, number],
  side: string,
  waist: number,
  rest: { sleeve?: Sleeve; straps?: number; collar?: Collar; front?: Front; trims?: string } = {},
): Cut => ({
  neck,
  shoulder,
  neckline,
  waist,
  side: points(side),
  ...(rest.sleeve ? { sleeve: rest.sleeve } : {}),
  ...(rest.straps ? { straps: rest.straps } : {}),
  collar: rest.collar ?? 'none',
  front: rest.front ?? 'closed',
  trims: rest.trims?.split(' ') ?? [],
});

const TEE = '24.5 24, 24 44, 24.6 68';
const A_LINE = '22.5 23, 18.8 40, 24 56, 31 82, 37 104';
const LONG_SET = set(59, 24, 5.6);

/**
 * By silhouette. The figures were measured on flat drawings of ready-made garments and then adjusted by eye.
 */
export const CUTS: Readonly<Record<string, Cut>> = {
  tee: cut(9, [21.5, 4], ['crew', 9], TEE, 44, { sleeve: set(21, 42, 9), collar: 'rib' }),
  shirt: cut(7.6, [22, 4.4], ['stand', 6.5], '25 25, 23.6 46, 25.4 74', 46, {
    sleeve: set(60, 26, 6.2),
    collar: 'shirt',
    front: 'placket',
    trims: 'curved_hem cuffs chest_pocket',
  }),
  blouse: cut(9.5, [20, 4], ['vee', 17], '23.4 23, 22 42, 25 64', 42, {
    sleeve: set(56, 28, 8.5, 'bishop'),
    trims: 'neck_tie gathers',
  }),
  tank: cut(10.5, [15.5, 3], ['scoop', 17], '22.5 22, 21 42, 22.6 62', 42, { trims: 'binding' }),
  camisole: cut(9, [12, 0], ['vee', 21], '20.6 20, 19.8 40, 23 60', 40, { straps: 12.5, trims: 'lace_edge' }),
  polo: cut(8.6, [21.5, 4], ['stand', 7], TEE, 44, {
    sleeve: set(21, 40, 8.4),
    collar: 'shirt',
    front: 'half',
    trims: 'rib_cuffs',
  }),
  crop_top: cut(12, [18, 3], ['square', 13], '21.5 21, 19.4 36, 19 43', 38, {
    sleeve: set(18, 40, 7.6, 'puff'),
    trims: 'smocking',
  }),
  turtleneck: cut(7.4, [20, 5], ['crew', 1], '22.6 24, 20.6 44, 22.4 66', 44, {
    sleeve: LONG_SET,
    collar: 'roll',
  }),
  tunic: cut(9.5, [21, 4], ['vee', 15], '24 24, 23 46, 29 92', 46, {
    sleeve: set(46, 28, 8),
    trims: 'side_slits',
  }),
  sweater: cut(9.4, [23, 5], ['crew', 7.5], '27 27, 27 50, 25.4 66', 46, {
    sleeve: set(58, 25, 6),
    collar: 'rib',
    trims: 'rib_hem rib_cuffs',
  }),
  sweatshirt: cut(9.4, [23.5, 5], ['crew', 7.5], '27.5 27, 28 50, 26 67', 46, {
    sleeve: set(58, 25, 5.8),
    collar: 'rib',
    trims: 'rib_hem rib_cuffs vee_insert',
  }),
  hoodie: cut(10, [23.5, 5], ['vee', 12], '27.5 27, 28 50, 26 68', 46, {
    sleeve: set(58, 25, 5.8),
    collar: 'hood',
    trims: 'rib_hem rib_cuffs kangaroo drawcord',
  }),
  kurta: cut(8, [21, 4.4], ['stand', 6], '24 24, 22.6 46, 26 74, 28.5 104', 46, {
    sleeve: set(57, 25, 7),
    collar: 'stand',
    front: 'half',
    trims: 'side_slits hem_border',
  }),
  choli: cut(12.5, [18, 3], ['scoop', 15], '20.4 20, 18.4 30, 18 36', 34, {
    sleeve: set(15, 40, 8),
    trims: 'sleeve_border neck_border hem_border',
  }),
  dress: cut(10.5, [18.5, 3.6], ['scoop', 13], A_LINE, 41, { sleeve: set(17, 40, 8), trims: 'waist_seam' }),
  sundress: cut(10, [12, 0], ['sweetheart', 19], '21 21, 18.4 39, 25 58, 33 84, 38 100', 40, {
    straps: 13,
    trims: 'waist_seam gathered_skirt',
  }),
  shirt_dress: cut(7.6, [21.5, 4.4], ['stand', 6.5], '24 24, 20.5 43, 27 70, 32 104', 43, {
    sleeve: set(44, 28, 7),
    collar: 'shirt',
    front: 'placket',
    trims: 'fabric_belt cuffs chest_pockets',
  }),
  maxi_dress: cut(10.5, [18, 3.6], ['vee', 20], '22.5 23, 18.4 40, 24 58, 33 96, 41 138', 40, {
    sleeve: set(22, 38, 11, 'bell'),
    trims: 'waist_seam gathered_skirt',
  }),
  gown: cut(9, [12, 0], ['sweetheart', 18], '20.6 20, 17.2 39, 22 58, 24 86, 40 142', 39, {
    straps: 14,
    trims: 'bodice_drape train_folds',
  }),
  anarkali: cut(10, [19, 4], ['scoop', 12], '22 23, 18.6 38, 30 62, 44 98, 54 128', 38, {
    sleeve: set(54, 25, 5.4),
    trims: 'waist_border panels hem_border neck_border',
  }),
  kaftan: cut(9, [24, 3], ['vee', 24], '42 62, 41 80, 39 132', 46, {
    sleeve: set(34, 58, 17, 'wide'),
    trims: 'neck_border hem_border drawn_waist',
  }),
  abaya: cut(9, [22, 4], ['vee', 12], '27 26, 29 56, 36 104, 41 138', 46, {
    sleeve: set(58, 28, 13, 'wide'),
    front: 'open',
    trims: 'sleeve_border front_border',
  }),
  kimono: cut(9, [25, 2.5], ['vee', 40], '27 34, 27.4 60, 28 100, 29 134', 50, {
    sleeve: set(40, 64, 22, 'wide'),
    collar: 'shawl',
    front: 'wrap',
    trims: 'obi',
  }),
  qipao: cut(7, [17, 4], ['crew', 4], '21 22, 17.6 40, 23 58, 21.6 90, 21 124', 40, {
    sleeve: set(11, 38, 8.6),
    collar: 'stand',
    trims: 'frog_closure side_slits piping',
  }),
  blazer: cut(8, [21.5, 4.6], ['vee', 36], '24.6 25, 21.6 44, 25.4 72', 45, {
    sleeve: set(60, 23, 6.6),
    collar: 'notch',
    front: 'buttons',
    trims: 'welt_pocket flap_pockets rounded_front darts',
  }),
  tuxedo: cut(8, [21.5, 4.6], ['vee', 40], '24.6 25, 21.4 44, 25 72', 45, {
    sleeve: set(60, 23, 6.6),
    collar: 'shawl',
    front: 'buttons',
    trims: 'welt_pocket jet_pockets rounded_front satin_lapel',
  }),
  waistcoat: cut(9, [15.5, 3.4], ['vee', 27], '22.6 24, 20.4 44, 21.4 56', 44, {
    front: 'buttons',
    trims: 'pointed_front welt_pockets darts',
  }),
  cardigan: cut(9, [22, 5], ['vee', 28], '26 26, 25.6 48, 24.6 66', 46, {
    sleeve: set(58, 25, 6),
    front: 'buttons',
    trims: 'rib_hem rib_cuffs front_band patch_pockets',
  }),
  denim_jacket: cut(8.4, [22, 4.6], ['stand', 6.5], '25.4 25, 24 46, 23.4 58', 46, {
    sleeve: set(58, 24, 6.4),
    collar: 'shirt',
    front: 'placket',
    trims: 'yoke flap_chest hem_band cuffs topstitch',
  }),
  biker: cut(8.6, [21.5, 4.6], ['vee', 20], '24.6 25, 22.6 44, 23.4 57', 44, {
    sleeve: set(59, 23, 6),
    collar: 'biker',
    front: 'slant_zip',
    trims: 'zip_pockets belt_tab zip_cuffs',
  }),
  bomber: cut(8.8, [23, 4.6], ['crew', 6], '27.4 27, 28.4 48, 25 64', 46, {
    sleeve: set(58, 25, 6.2),
    collar: 'rib',
    front: 'zip',
    trims: 'rib_hem rib_cuffs slant_pockets',
  }),
  coat: cut(8.4, [22.5, 4.8], ['vee', 34], '26 27, 24.8 48, 27 76, 29.4 108', 47, {
    sleeve: set(61, 23, 7.4),
    collar: 'coat',
    front: 'double',
    trims: 'flap_pockets',
  }),
  trench: cut(8.4, [22.5, 4.8], ['vee', 26], '26 27, 22.4 47, 28 76, 32 108', 47, {
    sleeve: set(61, 23, 7.4),
    collar: 'coat',
    front: 'double',
    trims: 'trench_belt epaulettes slant_pockets storm_flap cuff_straps',
  }),
  puffer: cut(9, [23.5, 5], ['stand', 4], '28.6 28, 29 50, 27 66', 47, {
    sleeve: set(58, 25, 7.6),
    collar: 'stand',
    front: 'zip',
    trims: 'quilting slant_pockets',
  }),
  parka: cut(9.6, [23.5, 5], ['vee', 8], '28 28, 27.6 50, 29.4 84', 50, {
    sleeve: set(60, 24, 7.4),
    collar: 'hood',
    front: 'zip',
    trims: 'fur_hood patch_pockets drawn_waist storm_flap',
  }),
  cape: cut(8, [21, 5], ['stand', 4], '35 44, 39 62, 41 84', 46, {
    collar: 'stand',
    front: 'buttons',
    trims: 'arm_slits',
  }),
  nehru: cut(7.8, [18.5, 4], ['stand', 4], '23.6 25, 21.4 45, 23.6 68', 45, {
    collar: 'stand',
    front: 'buttons',
    trims: 'welt_pocket jet_pockets darts',
  }),
  sherwani: cut(7.8, [22, 4.6], ['stand', 4], '25 25, 22.6 46, 27 78, 29 106', 46, {
    sleeve: set(60, 23, 6.6),
    collar: 'stand',
    front: 'buttons',
    trims: 'front_border collar_border cuff_border welt_pocket',
  }),
};
