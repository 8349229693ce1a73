import type { PresetKind } from './preset.events.js';

/** A preset of a new installation. The engine draws from `spec`, which is never shown. */
export interface BundledPreset {
  /** Fixed, so that the same request works in every installation. Also names `assets/presets/{id}.jpg`. */
  readonly id: string;
  readonly kind: PresetKind;
  readonly label: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Casting facts for model-generator. With the seed they always give the same person. */
const model = (
  id: string,
  label: string,
  seed: number,
  casting: readonly [gender: 'FEMALE' | 'MALE', ethnicity: string, bodyType: string, ageRange: string],
  more: Readonly<Record<string, string>> = {},
): BundledPreset => {
  const [gender, ethnicity, body_type, age_range] = casting;
  return { id, kind: 'model', label, spec: { seed, gender, ethnicity, ...more, body_type, age_range } };
};

interface SceneChoices {
  readonly setting: 'studio_set' | 'indoor_location' | 'outdoor_location';
  readonly register: 'real_photo' | 'film_photo' | 'studio_set' | 'render';
  readonly topology: string;
  readonly zone: string;
  readonly ground: string;
  readonly light: string;
  readonly palette: readonly string[];
  readonly anchors: readonly string[];
  readonly surface?: string;
}

/** The `authoring` object for background-generator, with the seed for its free choices. */
const background = (id: string, label: string, seed: number, scene: SceneChoices): BundledPreset => ({
  id,
  kind: 'background',
  label,
  spec: {
    scene: {
      display_name: label,
      setting: scene.setting,
      photographic_register: scene.register,
      topology: { preset: scene.topology },
      subject_zone: { preset: scene.zone },
      supported_crops: ['full', 'three_quarter', 'torso'],
      ground: { preset: scene.ground },
      light: { preset: scene.light },
      palette: scene.palette,
      scene_anchors: scene.anchors,
      ...(scene.surface ? { surface_character: scene.surface } : {}),
      seed,
    },
  },
});

/** Contrast 0–1, colour temperature in kelvin; the words are those of the sketch engine's shot recipe. */
const shot = (
  id: string,
  label: string,
  view: readonly [framing: string, cameraHeight: string, angle: string, pose: string],
  light: readonly [direction: string, contrast: number, colourTemperature: number],
  crop: Readonly<Record<string, number>> = {},
): BundledPreset => {
  const [framing, camera_height, angle, pose] = view;
  const [direction, contrast, colour_temperature] = light;
  const lit = { direction, contrast, colour_temperature };
  return { id, kind: 'shot', label, spec: { framing, camera_height, angle, pose, light: lit, crop } };
};

// prettier-ignore
const shots = [
  shot('01KDVDNZFGYP14NWHFGZNSX3XC', 'Full length, frontal', ['full', 'chest', 'front', 'relaxed'], ['front', 0.25, 5600]),
  shot('01KDVDP0ER7MWD885G3PT7SFKR', 'Full length, hand on hip', ['full', 'waist', 'slight_right', 'hand_on_hip'], ['upper_left', 0.45, 5400]),
  shot('01KDVDP1E0VVGENGTJY53GJHVW', 'Walking, low camera', ['full', 'low', 'slight_left', 'walking'], ['upper_right', 0.55, 5800]),
  shot('01KDVDP2D8SRRJBT5SG2CZ5R1P', 'Three-quarter, side light', ['three_quarter', 'chest', 'slight_left', 'hand_on_hip'], ['left', 0.6, 5200]),
  shot('01KDVDP3CGN0RGBF0M5T7BM5QD', 'Three-quarter, evening sun', ['three_quarter', 'chest', 'front', 'relaxed'], ['right', 0.7, 3900]),
  shot('01KDVDP4BRH1X042FBJ5BPPRYG', 'Half length, soft light', ['half', 'eye', 'front', 'relaxed'], ['front', 0.2, 5600]),
  shot('01KDVDP5B0751YE91DK5W3GC3J', 'Half length, off centre', ['half', 'eye', 'slight_right', 'hand_on_hip'], ['upper_left', 0.5, 6400], { offset: 0.12 }),
  shot('01KDVDP6A8SCN09KFQK9RM0PDK', 'Detail of the cloth', ['detail', 'chest', 'front', 'relaxed'], ['upper_left', 0.5, 5500]),
];

export const presetTable: readonly BundledPreset[] = [
  model('01KDVDNA0033KV7VSJM53RAASK', 'Freya', 30, ['FEMALE', 'northern_european', 'slim', '22-26']),
  model('01KDVDNAZ8RGNPCSGVYJZX6K1P', 'Adaeze', 41, ['FEMALE', 'west_african', 'athletic', '22-26']),
  model('01KDVDNBYG8AK45H7TTGDVENH9', 'Hana', 32, ['FEMALE', 'east_asian', 'slim', '18-22']),
  model('01KDVDNCXRTR95GJ5TS5QR4038', 'Ananya', 23, ['FEMALE', 'indian', 'balanced', '26-30']),
  model('01KDVDNDX0NKG0NFBQVK875YRD', 'Camila', 14, ['FEMALE', 'latin_american', 'fuller', '26-30']),
  model('01KDVDNEW8Q0AAN00VS33B9AZY', 'Layla', 113, ['FEMALE', 'middle_eastern', 'balanced', '30-34']),
  model('01KDVDNFVGJS5MY023XN3QG6E3', 'Imani', 124, ['FEMALE', 'mixed_heritage', 'fuller', '34-40']),
  model('01KDVDNGTRR3YDKARXZQT0W150', 'Marco', 45, ['MALE', 'southern_european', 'athletic', '26-30']),
  model('01KDVDNHT0KTXT39D2T2ERRE10', 'Marcus', 110, ['MALE', 'black_diaspora', 'athletic', '26-30']),
  model('01KDVDNJS8RXD3D7D1F6BTTW7C', 'Kenji', 141, ['MALE', 'east_asian', 'slim', '22-26']),
  model('01KDVDNKRGEDP3M2BSTBF42JX8', 'Arjun', 142, ['MALE', 'indian', 'balanced', '30-34']),
  model('01KDVDNMQRZFH0XMQ6P9PKC6F7', 'Anders', 125, ['MALE', 'northern_european', 'fuller', '34-40']),

  background('01KDVDNNQ07597GVJFG5TVCXQQ', 'White seamless', 301, {
    setting: 'studio_set',
    register: 'studio_set',
    topology: 'seamless_sweep',
    zone: 'central_open',
    ground: 'seamless',
    light: 'soft_frontal',
    palette: ['#f4f2ee', '#dedad3'],
    anchors: ['white cube', 'wooden stool'],
  }),
  background('01KDVDNPP8NV1JXVJ4NRJPC6DH', 'Clay seamless', 302, {
    setting: 'studio_set',
    register: 'studio_set',
    topology: 'seamless_sweep',
    zone: 'central_open',
    ground: 'seamless',
    light: 'soft_side_daylight',
    palette: ['#d9b8a0', '#b98d72'],
    anchors: ['plinth', 'clay vase'],
  }),
  background('01KDVDNQNG8T8GKBE4E4AFFEEM', 'Plaster wall', 303, {
    setting: 'studio_set',
    register: 'film_photo',
    topology: 'shallow_wall',
    zone: 'near_rear_plane',
    ground: 'plaster_tile',
    light: 'soft_side_daylight',
    palette: ['#e6ddd0', '#cbbca8', '#9f8c75'],
    anchors: ['tall window', 'wooden bench'],
    surface: 'Hand-trowelled lime plaster with a soft sheen.',
  }),
  background('01KDVDNRMR0AAG5K3S5D2C40S6', 'Daylight room', 304, {
    setting: 'indoor_location',
    register: 'real_photo',
    topology: 'rear_plane_room',
    zone: 'framed_between_sides',
    ground: 'wood',
    light: 'soft_side_daylight',
    palette: ['#ece7dc', '#b9c4bd', '#a07a55'],
    anchors: ['tall window', 'linen curtain', 'armchair'],
  }),
  background('01KDVDNSM068E98FT5MSF1JCX0', 'Courtyard', 305, {
    setting: 'outdoor_location',
    register: 'real_photo',
    topology: 'courtyard_veranda',
    zone: 'shallow_patio',
    ground: 'stone_paving',
    light: 'warm_directional_sun',
    palette: ['#e8d3b0', '#c77f52', '#6f8460'],
    anchors: ['stone arch', 'terracotta pot', 'climbing plant'],
  }),
  background('01KDVDNTK8HDKSPZHQBPT9RW2Z', 'Old town street', 306, {
    setting: 'outdoor_location',
    register: 'film_photo',
    topology: 'street_path',
    zone: 'receding_path',
    ground: 'stone_paving',
    light: 'overcast',
    palette: ['#cfc6ba', '#a79a8c', '#7b8590'],
    anchors: ['shuttered window', 'doorway', 'street lamp'],
  }),
  background('01KDVDNVJGGN0ZS1GVRHZHH4CV', 'Draped textile', 307, {
    setting: 'studio_set',
    register: 'studio_set',
    topology: 'textile_installation',
    zone: 'near_rear_plane',
    ground: 'seamless',
    light: 'quiet_low_key',
    palette: ['#7f5a4f', '#a97f6c'],
    anchors: ['hanging drape', 'folds of linen'],
    surface: 'Heavy washed linen in long vertical folds.',
  }),
  background('01KDVDNWHRTH0TJVQVFSXFKRRW', 'Evening gallery', 308, {
    setting: 'indoor_location',
    register: 'render',
    topology: 'rear_plane_room',
    zone: 'central_open',
    ground: 'plaster_tile',
    light: 'quiet_low_key',
    palette: ['#7f879a', '#59617a', '#c9ac7e'],
    anchors: ['arched niche', 'column'],
  }),
  background('01KDVDNXH006H1HD6ENPHQWZ7Y', 'Olive garden', 309, {
    setting: 'outdoor_location',
    register: 'real_photo',
    topology: 'open_location',
    zone: 'central_open',
    ground: 'earth_grass',
    light: 'warm_directional_sun',
    palette: ['#cdd9de', '#93a57c', '#d8c49a'],
    anchors: ['olive tree', 'low stone wall', 'distant hills'],
  }),
  background('01KDVDNYG824RVSWY0AAANTJGT', 'Veranda in shade', 310, {
    setting: 'outdoor_location',
    register: 'film_photo',
    topology: 'courtyard_veranda',
    zone: 'framed_between_sides',
    ground: 'wood',
    light: 'overcast',
    palette: ['#dfe3dc', '#8fa39a', '#8a6a4c'],
    anchors: ['wooden columns', 'potted fern', 'lattice screen'],
  }),

  ...shots,
];
