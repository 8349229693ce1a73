import type { BriefInput } from '@atelier/engine';
import {
  input,
  isKnown,
  listed,
  metaOf,
  sentences,
  word,
  words,
  type Known,
  type KnownPicture,
} from './briefing.js';

/* The values of a scene's fields, each with its words. A choice that is `custom` has its own words. */

export const settings = {
  studio_set: 'a photo studio set',
  indoor_location: 'a real indoor location',
  outdoor_location: 'a real outdoor location',
} as const;

export const registers = {
  real_photo: 'It looks like an unretouched digital photograph of a real place.',
  film_photo: 'It looks like a photograph on colour negative film, with fine grain and gentle highlights.',
  studio_set: 'It looks like a controlled studio photograph, clean and even.',
  render: 'It looks like a high-end architectural rendering, with physically plausible light and materials.',
} as const;

export const topologies = {
  seamless_sweep: 'a seamless sweep, where wall and floor run into each other without an edge',
  shallow_wall: 'a wall close behind the subject, with a narrow strip of floor before it',
  rear_plane_room: 'a room seen straight on, with its rear wall parallel to the picture',
  courtyard_veranda: 'a courtyard or veranda, enclosed at the back and open to the sky at one side',
  street_path: 'a street or path that leads from the viewer into the depth',
  textile_installation: 'hanging lengths of cloth that form the space',
  open_location: 'an open place with a low horizon and nothing enclosing it',
} as const;

export const subjectZones = {
  near_rear_plane: 'close to the rear plane, in the middle',
  framed_between_sides: 'in the middle, between elements that frame it left and right',
  shallow_patio: 'on a shallow area of floor before the rear plane',
  receding_path: 'on the path that leads into the depth',
  central_open: 'in the open middle, with free space all around',
} as const;

export const grounds = {
  seamless: 'a seamless floor',
  stone_paving: 'stone paving',
  plaster_tile: 'plaster or tile',
  wood: 'wooden boards',
  earth_grass: 'earth and grass',
} as const;

export const lights = {
  soft_frontal: 'soft light from the front, with hardly any shadow',
  soft_side_daylight: 'soft daylight from one side, as through a tall window',
  overcast: 'the even light of an overcast sky',
  warm_directional_sun: 'low, warm sun from one side, with long soft-edged shadows',
  quiet_low_key: 'quiet low-key light, mostly shade with one soft source',
} as const;

export const crops = {
  full: 'at full length',
  three_quarter: 'down to the knees',
  torso: 'from the waist up',
} as const;

/** The words of a choice: its own text if it is `custom`, or if its preset no longer exists. */
function said(choice: unknown, known: Readonly<Record<string, string>>): string | undefined {
  if (!isKnown(choice)) return undefined;
  const preset = word(choice['preset']);
  return (preset !== undefined && known[preset]) || word(choice['custom_text']);
}

/**
 * A scene of the canonical form, in sentences. Every part may be absent, because the scene can come from a picture's
 * `meta`.
 */
export function sceneWords(scene: object): string {
  // It may be of any class: its fields are looked up by name, and each is checked.
  const facts = scene as Known;
  const place = said(facts['topology'], topologies);
  const ground = said(facts['ground'], grounds);
  const light = said(facts['light'], lights);
  const setting = settings[facts['setting'] as keyof typeof settings] ?? 'a place';
  const anchors = words(facts['scene_anchors']);
  const palette = words(facts['palette']);
  const surface = word(facts['surface_character']);
  return sentences(
    `The scene is ${setting}${place ? `: ${place}` : ''}.`,
    registers[facts['photographic_register'] as keyof typeof registers],
    ground && `The ground is ${ground}.`,
    light && `It is lit by ${light}.`,
    palette.length > 0 ? `Its colours are ${listed(palette)}.` : undefined,
    anchors.length > 0 ? `It is recognisable by ${listed(anchors)}.` : undefined,
    surface && `Its surfaces: ${surface.replace(/\.$/, '')}.`,
  );
}

/** The room that the place must leave free for people who are set into it. */
export function roomWords(scene: object): string {
  // The scene may be of any class, see {@link sceneWords}.
  const facts = scene as Known;
  const zone = said(facts['subject_zone'], subjectZones);
  const framings = [...new Set(words(facts['supported_crops']))].map(
    (crop) => crops[crop as keyof typeof crops] ?? crop,
  );
  return sentences(
    zone && `Leave room for a subject ${zone}.`,
    framings.length > 0
      ? `A person who is photographed there ${listed(framings, 'or')} must stand on the ground in a plausible size.`
      : undefined,
  );
}

/** A place among the inputs, with what the picture's `meta` says about it. */
export function sceneInput(pictures: readonly KnownPicture[], name: string, part = 'the place.'): BriefInput {
  const scene = metaOf(pictures, name)?.['scene'];
  return input(name, 'scene', sentences(part, isKnown(scene) ? sceneWords(scene) : undefined));
}

/** A scene in a caller's own words. */
export function looseSceneWords(scene: {
  readonly scene_type?: string;
  readonly mood?: string;
  readonly dominant_colors?: readonly string[];
}): string {
  const { scene_type: type, mood, dominant_colors: colours = [] } = scene;
  return sentences(
    type === undefined ? undefined : `The scene is: ${type}.`,
    mood === undefined ? undefined : `Its mood is: ${mood}.`,
    colours.length > 0 ? `Its main colours are ${listed(colours)}.` : undefined,
  );
}
