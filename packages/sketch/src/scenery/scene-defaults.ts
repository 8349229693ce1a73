import type { SeededRandom } from '../drawing/seeded-random.js';
import type { Ground, Topology } from './scene-spec.js';
import type { AnchorName } from './words/anchor-words.js';

/**
 * Default palettes for callers who name no colours: the colour of the planes, the second colour and the accent.
 */
const PALETTES: readonly (readonly [string, string, string])[] = [
  ['ecru', 'sage', 'terracotta'],
  ['blush', 'oatmeal', 'burgundy'],
  ['sand', 'chambray', 'rust'],
  ['limestone', 'eucalyptus', 'ochre'],
  ['dusty rose', 'taupe', 'forest'],
  ['duck egg', 'stone', 'brick'],
  ['plaster', 'camel', 'petrol'],
  ['celadon', 'chalk', 'aubergine'],
];

export const defaultPalette = (random: SeededRandom): readonly string[] => random.pick(PALETTES);

/** The usual pieces of such a place; a scene takes two. */
const FURNISHING: Readonly<Record<Topology, readonly AnchorName[]>> = {
  seamless_sweep: ['plinth', 'stool', 'pampas', 'sculpture'],
  shallow_wall: ['window', 'plant', 'chair', 'niche'],
  rear_plane_room: ['window', 'plant', 'chair', 'painting', 'rug', 'lamp'],
  courtyard_veranda: ['urn', 'olive', 'bench', 'lantern', 'vine'],
  street_path: ['door', 'bicycle', 'urn', 'lantern', 'vine'],
  textile_installation: ['stool', 'plinth', 'pampas', 'vase'],
  open_location: ['tree', 'rock', 'mountain', 'pampas'],
  custom: ['arch', 'stairs', 'plinth', 'sculpture'],
};

/** Pieces that the words of a scene imply. A beach, for example, has a sea. */
const BY_WORDS: readonly (readonly [RegExp, readonly AnchorName[]])[] = [
  [/\b(beach|seaside|coast|shore)/i, ['sea', 'parasol', 'boat', 'palm', 'rock']],
  [/\b(desert|dunes?)/i, ['dune', 'cactus', 'rock', 'sun']],
  [/\b(forest|woods|jungle)/i, ['tree', 'cypress', 'rock', 'plant']],
  [/\b(snow|winter|alpine|mountains?)/i, ['mountain', 'cypress', 'rock', 'fence']],
  [/\b(garden|park)/i, ['hedge', 'flowers', 'tree', 'bench', 'fountain']],
  [/\b(lake|river)/i, ['sea', 'mountain', 'boat', 'pampas']],
  [/\b(library|study)/i, ['shelf', 'sofa', 'lamp', 'ladder']],
  [/\b(bedroom|hotel)/i, ['curtain', 'sofa', 'lamp', 'rug']],
  [/\b(gallery|museum)/i, ['painting', 'bench', 'sculpture']],
  [/\b(loft|warehouse|industrial)/i, ['window', 'plant', 'ladder', 'stool']],
  [/\b(rooftop|city|skyline)/i, ['skyline', 'plant', 'chair']],
  [/\b(cafe|café|restaurant)/i, ['table', 'chair', 'lantern', 'plant']],
  [/\b(palace|haveli|fort|temple)/i, ['lattice', 'urn', 'lantern', 'column']],
  [/\b(market|bazaar|souk)/i, ['lantern', 'basket', 'rug', 'urn']],
];

/**
 * Two pieces for a place without named furniture. They follow from the words of the scene, otherwise from its
 * topology.
 */
export function furnish(topology: Topology, words: string, random: SeededRandom): AnchorName[] {
  const said = BY_WORDS.find(([pattern]) => pattern.test(words))?.[1];
  if (said) return [said[0] ?? 'object', random.pick(said.slice(1))];
  const choices = [...FURNISHING[topology]];
  return [0, 1].map(() => choices.splice(Math.floor(random.next() * choices.length), 1)[0] ?? 'object');
}

/** The ground of a place whose ground is left open. */
export const USUAL_GROUND: Readonly<Record<Topology, Exclude<Ground, 'custom'>>> = {
  seamless_sweep: 'seamless',
  shallow_wall: 'wood',
  rear_plane_room: 'wood',
  courtyard_veranda: 'plaster_tile',
  street_path: 'stone_paving',
  textile_installation: 'seamless',
  open_location: 'earth_grass',
  custom: 'seamless',
};
