import type { SeededRandom } from '../drawing/seeded-random.js';
import type { Ground, Topology } from './scene-spec.js';
import type { AnchorName } from './words/anchor-words.js';

/** Palettes that please, for a caller who names no colours: planes, second colour, accent. */
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

/** What usually stands in such a place; two of them are taken. */
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

export function furnish(topology: Topology, random: SeededRandom): AnchorName[] {
  const choices = [...FURNISHING[topology]];
  return [0, 1].map(() => choices.splice(Math.floor(random.next() * choices.length), 1)[0] ?? 'object');
}

/** The ground that goes with a place whose ground nobody named. */
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
