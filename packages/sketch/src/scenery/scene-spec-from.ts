import type { PictureMeta } from '@atelier/engine';
import { isFacts, type Facts } from '../facts.js';
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
  type Crop,
  type Ground,
  type LightPreset,
  type Register,
  type SceneSpec,
  type Setting,
  type Topology,
  type Zone,
} from './scene-spec.js';
import { anchorOf, anchorsIn } from './words/anchor-words.js';
import { colourOf } from './words/colour-words.js';
import { groundIn, lightIn, topologyIn } from './words/scene-words.js';

/** A word of a list, or `custom` and what it is. */
interface ChoiceOrder<T extends string> {
  readonly preset: T;
  readonly custom_text?: string;
}

/** A scene described the canonical way: every choice is named. */
export interface SceneAuthoring {
  readonly display_name: string;
  readonly setting: Setting;
  readonly photographic_register: Register;
  readonly topology: ChoiceOrder<Topology>;
  readonly subject_zone: ChoiceOrder<Zone>;
  readonly supported_crops: readonly Crop[];
  readonly ground: ChoiceOrder<Ground>;
  readonly light: ChoiceOrder<LightPreset>;
  readonly palette: readonly string[];
  readonly scene_anchors: readonly string[];
  readonly surface_character?: string;
}

/** A scene in a few words: the place, its mood, its colours. */
export interface SceneWords {
  readonly scene_type?: string;
  readonly mood?: string;
  readonly dominant_colors?: readonly string[];
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(text).filter((word) => word !== '') : [];

const oneOf = <T extends string>(list: readonly T[], value: unknown, fallback: T): T =>
  list.find((entry) => entry === value) ?? fallback;

/** A choice object `{preset, custom_text}`, or the preset alone. */
function choiceIn<T extends string>(list: readonly T[], value: unknown, fallback: T): ChoiceOrder<T> {
  const fields = isFacts(value) ? value : { preset: value };
  return { preset: oneOf(list, fields['preset'], fallback), custom_text: text(fields['custom_text']) };
}

const chosen = <T extends string>({ preset, custom_text: words = '' }: ChoiceOrder<T>): Choice<T> => ({
  preset,
  text: words.trim(),
});

const trimmed = (words: readonly string[]): string[] =>
  words.map((word) => word.trim()).filter((word) => word !== '');

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

/** The description in a picture's meta. Missing and unknown values get the quiet default. */
function authoringIn(fields: Facts): SceneAuthoring {
  const topology = choiceIn(TOPOLOGIES, fields['topology'], 'seamless_sweep');
  return {
    display_name: text(fields['display_name']),
    setting: oneOf(SETTINGS, fields['setting'], SETTING_OF[topology.preset]),
    photographic_register: oneOf(REGISTERS, fields['photographic_register'], 'real_photo'),
    topology,
    subject_zone: choiceIn(ZONES, fields['subject_zone'], 'near_rear_plane'),
    supported_crops: CROPS.filter((crop) => texts(fields['supported_crops']).includes(crop)),
    ground: choiceIn(GROUNDS, fields['ground'], USUAL_GROUND[topology.preset]),
    light: choiceIn(LIGHTS, fields['light'], 'soft_side_daylight'),
    palette: texts(fields['palette']),
    scene_anchors: texts(fields['scene_anchors']),
    surface_character: text(fields['surface_character']),
  };
}

function fromAuthoring(authoring: SceneAuthoring, mood: string, seed: number): SceneSpec {
  const crops = CROPS.filter((crop) => authoring.supported_crops.includes(crop));
  const said = trimmed(authoring.palette);
  return {
    displayName: authoring.display_name.trim(),
    setting: authoring.setting,
    register: authoring.photographic_register,
    topology: chosen(authoring.topology),
    zone: chosen(authoring.subject_zone),
    crops: crops.length > 0 ? crops : ['full'],
    ground: chosen(authoring.ground),
    light: chosen(authoring.light),
    ...palette(said.length > 0 ? said : defaultPalette(new SeededRandom(seed).fork('palette'))),
    anchors: trimmed(authoring.scene_anchors).map((words) => ({ words, name: anchorOf(words) })),
    surface: authoring.surface_character?.trim() ?? '',
    mood,
    seed,
  };
}

/** A place from a few words; the seed chooses the rest. */
export function sceneFromWords(order: SceneWords, seed: number): SceneSpec {
  const random = new SeededRandom(seed);
  const scene = (order.scene_type ?? '').trim().replaceAll('_', ' ');
  const mood = (order.mood ?? '').trim();
  const topology = topologyIn(scene) ?? (scene === '' ? 'seamless_sweep' : 'custom');
  const outdoors = /\b(outdoors?|outside|open air|rooftop)\b/i.test(scene);
  const ground = groundIn(scene);
  const preset = GROUNDS.find((entry) => entry === ground);
  const light = lightIn(mood) ?? lightIn(scene) ?? 'soft_side_daylight';
  // A palace's courtyard lies inside the palace, so the palace is not in the distance.
  const mentioned = anchorsIn(scene)
    .filter((name) => name !== 'skyline' || topology !== 'courtyard_veranda')
    .slice(0, 4);
  const usual = furnish(topology, scene, random.fork('furnish')).filter((name) => !mentioned.includes(name));
  const said = trimmed(order.dominant_colors ?? []);
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
    anchors: [...mentioned, ...usual.slice(0, mentioned.length > 1 ? 1 : 2)].map((name) => ({
      words: name,
      name,
    })),
    surface: scene,
    mood,
    seed,
  };
}

/** The scene of either form of a body. */
export const sceneFromBody = (
  body: SceneWords & { readonly authoring?: SceneAuthoring },
  seed: number,
): SceneSpec => (body.authoring ? fromAuthoring(body.authoring, '', seed) : sceneFromWords(body, seed));

/**
 * The scene that a picture's `meta` describes, with the seed of that picture; undefined if it describes none.
 */
export function sceneSpecOf(meta: Facts | undefined, seed: number): SceneSpec | undefined {
  const described = [meta?.['scene'], meta?.['authoring'], meta].find(
    (fields) => isFacts(fields) && 'topology' in fields,
  );
  if (!isFacts(described)) return undefined;
  const drawnFrom = described['seed'];
  const mood = text(described['mood']);
  return fromAuthoring(authoringIn(described), mood, typeof drawnFrom === 'number' ? drawnFrom : seed);
}

const written = (choice: Choice<string>): Facts => ({
  preset: choice.preset,
  ...(choice.text ? { custom_text: choice.text } : {}),
});

/** The scene as plain JSON in the shape of `authoring`, from which `sceneSpecOf` reads the same scene again. */
export const sceneFields = (spec: SceneSpec): Facts => ({
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

/** The facts about a scene in the `meta` of its pictures. */
export const sceneFacts = (spec: SceneSpec): PictureMeta => ({
  scene: sceneFields(spec),
  setting: spec.setting,
  topology: spec.topology.preset,
  ground: spec.ground.preset,
  light: spec.light.preset,
  palette: spec.palette,
});
