import { SeededRandom } from '../drawing/seeded-random.js';
import { defaultPalette, furnish, USUAL_GROUND } from './scene-defaults.js';
import {
  CROPS,
  GROUNDS,
  LIGHTS,
  REGISTERS,
  SETTINGS,
  TOPOLOGIES,
  ZONES,
  type Choice,
  type SceneAnchor,
  type SceneSpec,
  type Setting,
  type Topology,
} from './scene-spec.js';
import { anchorOf, anchorsIn } from './words/anchor-words.js';
import { colourOf } from './words/colour-words.js';
import { groundIn, lightIn, topologyIn } from './words/scene-words.js';

type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(text).filter((word) => word !== '') : [];

const oneOf = <T extends string>(list: readonly T[], value: unknown, fallback: T): T =>
  list.find((entry) => entry === value) ?? fallback;

/** A choice object `{preset, custom_text}`, or the preset alone. */
function choice<T extends string>(list: readonly T[], value: unknown, fallback: T): Choice<T> {
  const fields = isFields(value) ? value : { preset: value };
  return { preset: oneOf(list, fields['preset'], fallback), text: text(fields['custom_text']) };
}

const palette = (words: readonly string[]): Pick<SceneSpec, 'palette' | 'paletteWords'> => {
  const kept = words.slice(0, 3);
  return { palette: kept.map(colourOf), paletteWords: kept };
};

const SETTING_OF: Readonly<Record<Topology, Setting>> = {
  seamless_sweep: 'studio_set',
  shallow_wall: 'indoor_location',
  rear_plane_room: 'indoor_location',
  courtyard_veranda: 'outdoor_location',
  street_path: 'outdoor_location',
  textile_installation: 'studio_set',
  open_location: 'outdoor_location',
  custom: 'studio_set',
};

/** The canonical shape: every choice is named, and what is missing takes the quiet default. */
function fromAuthoring(fields: Fields, mood: string, seed: number): SceneSpec {
  const random = new SeededRandom(seed);
  const topology = choice(TOPOLOGIES, fields['topology'], 'seamless_sweep');
  const crops = CROPS.filter((crop) => texts(fields['supported_crops']).includes(crop));
  const said = texts(fields['palette']);
  return {
    displayName: text(fields['display_name']),
    setting: oneOf(SETTINGS, fields['setting'], SETTING_OF[topology.preset]),
    register: oneOf(REGISTERS, fields['photographic_register'], 'real_photo'),
    topology,
    zone: choice(ZONES, fields['subject_zone'], 'near_rear_plane'),
    crops: crops.length > 0 ? crops : ['full'],
    ground: choice(GROUNDS, fields['ground'], USUAL_GROUND[topology.preset]),
    light: choice(LIGHTS, fields['light'], 'soft_side_daylight'),
    ...palette(said.length > 0 ? said : defaultPalette(random.fork('palette'))),
    anchors: texts(fields['scene_anchors']).map((words) => ({ words, name: anchorOf(words) })),
    surface: text(fields['surface_character']),
    mood: text(fields['mood']) || mood,
    seed,
  };
}

const plainAnchor = (name: SceneAnchor['name']): SceneAnchor => ({ words: name, name });

/** The flat shape: one line of words for the place, one for its mood, and colours. */
function fromWords(fields: Fields, seed: number): SceneSpec {
  const random = new SeededRandom(seed);
  const [scene, mood] = [text(fields['scene_type']).replaceAll('_', ' '), text(fields['mood'])];
  const topology = topologyIn(scene) ?? (scene === '' ? 'seamless_sweep' : 'custom');
  const outdoors = /\b(outdoors?|outside|open air|rooftop)\b/i.test(scene);
  const ground = groundIn(scene);
  const preset = GROUNDS.find((entry) => entry === ground);
  const light = lightIn(mood) ?? lightIn(scene) ?? 'soft_side_daylight';
  // A palace's courtyard is inside of it: nothing of the palace lies in the distance.
  const mentioned = anchorsIn(scene)
    .filter((name) => name !== 'skyline' || topology !== 'courtyard_veranda')
    .slice(0, 4);
  const usual = furnish(topology, scene, random.fork('furnish')).filter((name) => !mentioned.includes(name));
  const said = texts(fields['dominant_colors']);
  return {
    displayName: '',
    setting: outdoors ? 'outdoor_location' : SETTING_OF[topology],
    register: /\b(film|analog(ue)?|vintage|retro)\b/i.test(`${scene} ${mood}`) ? 'film_photo' : 'real_photo',
    topology: { preset: topology, text: topology === 'custom' ? scene : '' },
    zone: { preset: topology === 'street_path' ? 'receding_path' : 'central_open', text: '' },
    crops: ['full'],
    ground: ground
      ? { preset: preset ?? 'custom', text: preset ? '' : ground }
      : { preset: USUAL_GROUND[topology], text: '' },
    light: { preset: light, text: '' },
    ...palette(said.length > 0 ? said : defaultPalette(random.fork('palette'))),
    anchors: [...mentioned, ...usual.slice(0, mentioned.length > 1 ? 1 : 2)].map(plainAnchor),
    surface: scene,
    mood,
    seed,
  };
}

/**
 * One scene from any of the shapes that a request may have: `authoring`, or the flat `scene_type`, `mood` and
 * `dominant_colors` of a legacy request or of a swap. Whatever is missing is chosen by the seed.
 */
export function sceneSpecFrom(body: Fields, seed: number): SceneSpec {
  const { authoring } = body;
  return isFields(authoring) ? fromAuthoring(authoring, text(body['mood']), seed) : fromWords(body, seed);
}

/** The scene that a picture's `meta` describes, drawn from the seed that it was drawn from; undefined if there is none. */
export function sceneSpecOf(meta: Fields | undefined, seed: number): SceneSpec | undefined {
  const described = [meta?.['scene'], meta?.['authoring'], meta].find(
    (fields) => isFields(fields) && 'topology' in fields,
  );
  if (!isFields(described)) return undefined;
  const drawnFrom = described['seed'];
  return fromAuthoring(described, '', typeof drawnFrom === 'number' ? drawnFrom : seed);
}

const written = (choice: Choice<string>): Fields => ({
  preset: choice.preset,
  ...(choice.text ? { custom_text: choice.text } : {}),
});

/** The scene as plain JSON in the shape of `authoring`, from which `sceneSpecOf` reads the same scene again. */
export const sceneFields = (spec: SceneSpec): Fields => ({
  ...(spec.displayName ? { display_name: spec.displayName } : {}),
  setting: spec.setting,
  photographic_register: spec.register,
  topology: written(spec.topology),
  subject_zone: written(spec.zone),
  supported_crops: spec.crops,
  ground: written(spec.ground),
  light: written(spec.light),
  palette: spec.paletteWords,
  scene_anchors: spec.anchors.map((anchor) => anchor.words),
  ...(spec.surface ? { surface_character: spec.surface } : {}),
  ...(spec.mood ? { mood: spec.mood } : {}),
  seed: spec.seed,
});
