import type { Cloth } from '../cloth.js';
import type { Frame, Trim } from '../frame.js';
import { BORDERS } from './borders.js';
import { ORNAMENTS } from './ornaments.js';
import { POCKETS } from './pockets.js';
import { SURFACE } from './surface.js';
import { TIES } from './ties.js';

/** All trims for garments that hang from the shoulders or the waist, by name. */
const TRIMS: Readonly<Record<string, Trim>> = { ...BORDERS, ...POCKETS, ...TIES, ...SURFACE, ...ORNAMENTS };

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/ruffle|frill|flounce|peplum/, 'ruffles'],
  [/tier/, 'tiers'],
  [/pleat/, 'pleats'],
  [/\bslits?\b/, 'slit'],
  [/embroider|zardo[sz]i|aari|phulkari|mirror|applique|thread ?work/, 'embroidery'],
  [/sequin|bead|sparkl|crystal|rhinestone/, 'sequins'],
  [/fring|tassel/, 'fringe'],
  [/border|gota|zari|lace trim|contrast hem/, 'hem_border'],
  [/contrast belt|leather belt|buckle/, 'contrast_belt'],
  [/\bbelt|tie[- ]waist|sash|waist tie/, 'fabric_belt'],
  [/\bbows?\b|pussy/, 'bow'],
  [/zip/, 'front_zip'],
  [/button/, 'front_buttons'],
  [/patch pocket|big pocket|cargo/, 'patch_pockets'],
  [/chest pocket/, 'chest_pocket'],
  [/pocket/, 'slant_pockets'],
  [/quilt/, 'quilting'],
  [/piping|contrast edge/, 'piping'],
  [/topstitch|contrast stitch/, 'topstitching'],
  [/smock|shirr/, 'smocking'],
  [/drawstring|drawcord|cinch/, 'drawn_waist'],
];

/** Trims that have a part on the sleeves. */
export const SLEEVE_TRIMS: ReadonlySet<string> = new Set([
  'cuffs',
  'rib_cuffs',
  'zip_cuffs',
  'cuff_straps',
  'cuff_border',
  'sleeve_border',
  'quilting',
]);

/** The names of the trims that a phrase mentions. */
export const trimsIn = (words: string): string[] =>
  WORDS.filter(([pattern]) => pattern.test(words)).map(([, name]) => name);

/** Draws trims by name, each once. A name that is not in the table belongs to the cut itself. */
export const drawTrims = (cloth: Cloth, frame: Frame, names: readonly string[]): string =>
  [...new Set(names)]
    .map((name) => (Object.hasOwn(TRIMS, name) ? (TRIMS[name]?.(cloth, frame) ?? '') : ''))
    .join('');
