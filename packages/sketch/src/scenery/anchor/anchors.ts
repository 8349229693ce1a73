import type { AnchorName } from '../words/anchor-words.js';
import type { Anchor } from './anchor.js';
import { DISTANCE } from './distance.js';
import { FURNITURE } from './furniture.js';
import { GREENERY } from './greenery.js';
import { OPENINGS } from './openings.js';
import { SMALLER } from './smaller.js';
import { STRUCTURES } from './structures.js';

/**
 * Every piece that the library can draw. A new piece needs a line in the words, and an entry in one of these
 * tables.
 */
export const ANCHORS: Readonly<Record<AnchorName, Anchor>> = {
  ...OPENINGS,
  ...GREENERY,
  ...FURNITURE,
  ...STRUCTURES,
  ...SMALLER,
  ...DISTANCE,
};
