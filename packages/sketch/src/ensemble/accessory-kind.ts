import type { Item } from './item.js';

/** Accessories by how they are worn; `pinned` is anything else, worn like a brooch. */
export type AccessoryKind =
  | 'scarf'
  | 'silk_scarf'
  | 'dupatta'
  | 'shawl'
  | 'belt'
  | 'necktie'
  | 'bow_tie'
  | 'necklace'
  | 'earrings'
  | 'bangles'
  | 'bracelet'
  | 'watch'
  | 'sunglasses'
  | 'gloves'
  | 'tights'
  | 'socks'
  | 'pinned';

const NAMED: readonly AccessoryKind[] = [
  'scarf',
  'silk_scarf',
  'dupatta',
  'shawl',
  'belt',
  'necktie',
  'bow_tie',
  'necklace',
  'earrings',
  'bangles',
  'bracelet',
  'watch',
  'sunglasses',
  'gloves',
  'tights',
  'socks',
];

/** Share of its rectangle that a cut-out fills. */
function fullness({ shape: { mask } }: Item): number {
  let inside = 0;
  for (const value of mask.data) inside += value;
  return inside / Math.max(1, mask.data.length);
}

/** Told by the picture's own facts, or guessed from the outline: a long thin thing is a belt, a hollow one a necklace. */
export function accessoryKind(item: Item): AccessoryKind {
  const named = NAMED.find((kind) => kind === item.spec?.category.key);
  if (named) return named;
  const broad = item.shape.width / Math.max(1, item.shape.height);
  const full = fullness(item);
  if (broad > 3.3) return 'belt';
  if (broad > 1.9) return full < 0.72 ? 'sunglasses' : 'bow_tie';
  if (full < 0.34) return 'necklace';
  if (broad < 0.26) return 'necktie';
  if (broad < 0.8) return 'scarf';
  return full > 0.6 ? 'silk_scarf' : 'pinned';
}
