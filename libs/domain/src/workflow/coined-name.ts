import { neutralNames, femaleNames, maleNames, familyNames } from './given-names.js';

/** What a name may be coined from: the request's body, and what is known about the pictures it refers to. */
export interface NameFacts {
  readonly body: Readonly<Record<string, unknown>>;
  readonly pictures?: readonly (Readonly<Record<string, unknown>> | undefined)[];
  /** What the garment's category is called, for example `Skirt`. */
  readonly category?: string | undefined;
}

/**
 * A name for what a generator makes when the caller gave none; the same seed and facts give the same name. Empty for
 * workflows whose results go by what they show.
 * @param operation a name of the workflow table
 * @returns at most 128 characters, the bound of `display_name`
 */
export function coinName(operation: string, seed: number, facts: NameFacts): string {
  switch (operation) {
    case 'model-generator':
      return modelName(seed, facts);
    case 'background-generator':
      return backgroundName(seed, facts.body);
    case 'complementary-garment-generator':
      return garmentName(seed, facts);
    default:
      return '';
  }
}

/** A full-length figure is the person of its portrait, whose gender its `meta` tells. */
function modelName(seed: number, { body, pictures = [] }: NameFacts): string {
  const gender = [body, ...pictures].map((known) => known?.['gender']).find(isText);
  const given = gender === 'FEMALE' ? femaleNames : gender === 'MALE' ? maleNames : neutralNames;
  return `${pick(given, seed, 1)} ${pick(familyNames, seed, 2)}`;
}

const lights: Readonly<Record<string, readonly string[]>> = {
  soft_frontal: ['Clear', 'Gentle', 'Even'],
  soft_side_daylight: ['Daylit', 'Window', 'Morning'],
  overcast: ['Overcast', 'Silver', 'Pale'],
  warm_directional_sun: ['Sunlit', 'Golden', 'Amber'],
  quiet_low_key: ['Quiet', 'Dusky', 'Still'],
};
/** What the caller did not say is the engine's to choose: a name must not promise a light, a place or a colour then. */
const anyLight =
  'Quiet Still Gentle Slow Plain First Second Other Lasting Patient Distant Near Calm Simple Spare Even'.split(
    ' ',
  );

const places: Readonly<Record<string, readonly string[]>> = {
  seamless_sweep: ['Sweep', 'Backdrop', 'Cove'],
  shallow_wall: ['Wall', 'Plaster', 'Alcove'],
  rear_plane_room: ['Room', 'Salon', 'Atelier'],
  courtyard_veranda: ['Courtyard', 'Veranda', 'Patio'],
  street_path: ['Street', 'Lane', 'Arcade'],
  textile_installation: ['Drapery', 'Canopy', 'Loom'],
  open_location: ['Field', 'Terrace', 'Shore'],
};
const anyPlace = 'Scene Setting Place Stage View Corner Space Frame Ground Prospect'.split(' ');

function backgroundName(seed: number, body: NameFacts['body']): string {
  const authoring = membersOf(body['authoring']);
  if (isText(authoring['display_name'])) return authoring['display_name'];
  const light = membersOf(authoring['light'])['preset'];
  const topology = membersOf(authoring['topology'])['preset'];
  const mood = titled(body['mood'], 24);
  const scene = titled(body['scene_type'], 48);
  return `${mood ?? pick(among(lights, light, anyLight), seed, 3)} ${scene ?? pick(among(places, topology, anyPlace), seed, 4)}`;
}

const anyGarment = 'Everyday Classic Easy Weekend Studio Signature Essential Favourite'.split(' ');

/** Colour, pattern, material, thing: `Sage Striped Linen Skirt`. The newest of the three forms of the body has the word. */
function garmentName(seed: number, { body, category }: NameFacts): string {
  const authoring = membersOf(body['authoring']);
  const attributes = membersOf(body['attributes']);
  const said = (...values: unknown[]) => values.map((value) => titled(value, 32)).find((value) => value);
  const colour = said(authoring['primary_colour'], attributes['colour'], body['color']);
  const pattern = said(authoring['pattern'], attributes['pattern'], body['pattern']);
  const material = said(authoring['material'], attributes['material'], body['material']);
  const words = [
    colour ?? (material === undefined ? pick(anyGarment, seed, 5) : undefined),
    pattern === 'Solid' ? undefined : pattern,
    material,
    category ?? 'Garment',
  ];
  return words.filter((word) => word !== undefined).join(' ');
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** `washed linen` → `Washed Linen`; undefined for what is too long to be part of a name. */
function titled(value: unknown, longest: number): string | undefined {
  if (!isText(value) || value.length > longest) return undefined;
  const words = value.trim().replaceAll('_', ' ').split(/\s+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

function among(
  table: Readonly<Record<string, readonly string[]>>,
  key: unknown,
  otherwise: readonly string[],
): readonly string[] {
  return (isText(key) && Object.hasOwn(table, key) ? table[key] : undefined) ?? otherwise;
}

/** Neighbouring seeds must not give neighbouring names: the finaliser of MurmurHash3 spreads them. */
function pick(words: readonly string[], seed: number, salt: number): string {
  let hash = Math.imul(seed ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash = (hash ^ (hash >>> 16)) >>> 0;
  return words[hash % words.length] ?? '';
}
