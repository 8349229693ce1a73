import type { AnchorName } from './words/anchor-words.js';

export const SETTINGS = ['studio_set', 'indoor_location', 'outdoor_location'] as const;
export type Setting = (typeof SETTINGS)[number];

export const REGISTERS = ['real_photo', 'film_photo', 'studio_set', 'render'] as const;
export type Register = (typeof REGISTERS)[number];

export const TOPOLOGIES = [
  'seamless_sweep',
  'shallow_wall',
  'rear_plane_room',
  'courtyard_veranda',
  'street_path',
  'textile_installation',
  'open_location',
  'custom',
] as const;
export type Topology = (typeof TOPOLOGIES)[number];

export const ZONES = [
  'near_rear_plane',
  'framed_between_sides',
  'shallow_patio',
  'receding_path',
  'central_open',
  'custom',
] as const;
export type Zone = (typeof ZONES)[number];

export const GROUNDS = ['seamless', 'stone_paving', 'plaster_tile', 'wood', 'earth_grass', 'custom'] as const;
export type Ground = (typeof GROUNDS)[number];

export const LIGHTS = [
  'soft_frontal',
  'soft_side_daylight',
  'overcast',
  'warm_directional_sun',
  'quiet_low_key',
  'custom',
] as const;
export type LightPreset = (typeof LIGHTS)[number];

export const CROPS = ['full', 'three_quarter', 'torso'] as const;
export type Crop = (typeof CROPS)[number];

/** A value from a list, with the free text of `custom` (empty for other values). */
export interface Choice<T extends string> {
  readonly preset: T;
  readonly text: string;
}

export interface SceneAnchor {
  /** In the caller's words. */
  readonly words: string;
  /** The library's piece for it; `object` if the library does not know the words. */
  readonly name: AnchorName;
}

/** Everything that decides how a place looks, apart from the size of the sheet. */
export interface SceneSpec {
  readonly displayName: string;
  readonly setting: Setting;
  readonly register: Register;
  readonly topology: Choice<Topology>;
  readonly zone: Choice<Zone>;
  /** The crops of a standing person that the picture must have room for; the widest one sets the framing. */
  readonly crops: readonly Crop[];
  readonly ground: Choice<Ground>;
  readonly light: Choice<LightPreset>;
  /** One to three hex colours: the large planes, the second colour, the accent. */
  readonly palette: readonly string[];
  /** The same colours in the caller's words. */
  readonly paletteWords: readonly string[];
  readonly anchors: readonly SceneAnchor[];
  /** The surfaces in the caller's words; empty if there are none. */
  readonly surface: string;
  /** Free text that tints the light; empty when nothing was said. */
  readonly mood: string;
  readonly seed: number;
}
