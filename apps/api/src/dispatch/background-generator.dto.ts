import type { FieldProblem } from '#validation/validate.js';
import { choice, ChoiceField, IdField, ListField, NestedField, text, TextField } from '#validation/fields.js';
import { CommonFields } from './common-fields.dto.js';
import { customWithoutText } from './field-relations.js';

export const dominantColours = {
  description: 'Colours that the scene is held in, by name or as `#rrggbb`.',
  max: 8,
  items: text({ min: 1, max: 64 }),
  example: ['sand', '#8a9a82'],
};

export const sceneType = {
  description: 'What the scene is.',
  min: 1,
  max: 200,
  example: 'rooftop terrace at dusk',
};
export const mood = { description: 'How it feels.', min: 1, max: 200, example: 'calm' };

class CustomText {
  @TextField({ description: 'What it is, where the preset is `custom`.', min: 3, max: 240 })
  custom_text?: string;
}

/** How the space is built. */
export class TopologyChoice extends CustomText {
  @ChoiceField({
    description: 'One of the known ones, or `custom`.',
    required: true,
    name: 'TopologyPreset',
    values: [
      'seamless_sweep',
      'shallow_wall',
      'rear_plane_room',
      'courtyard_veranda',
      'street_path',
      'textile_installation',
      'open_location',
      'custom',
    ],
  })
  preset: string;
}

/** Where the subject will stand. */
export class SubjectZoneChoice extends CustomText {
  @ChoiceField({
    description: 'One of the known ones, or `custom`.',
    required: true,
    name: 'SubjectZonePreset',
    values: [
      'near_rear_plane',
      'framed_between_sides',
      'shallow_patio',
      'receding_path',
      'central_open',
      'custom',
    ],
  })
  preset: string;
}

/** What the subject will stand on. */
export class GroundChoice extends CustomText {
  @ChoiceField({
    description: 'One of the known ones, or `custom`.',
    required: true,
    name: 'GroundPreset',
    values: ['seamless', 'stone_paving', 'plaster_tile', 'wood', 'earth_grass', 'custom'],
  })
  preset: string;
}

/** How it is lit. */
export class LightChoice extends CustomText {
  @ChoiceField({
    description: 'One of the known ones, or `custom`.',
    required: true,
    name: 'LightPreset',
    values: [
      'soft_frontal',
      'soft_side_daylight',
      'overcast',
      'warm_directional_sun',
      'quiet_low_key',
      'custom',
    ],
  })
  preset: string;
}

/** A scene, described the canonical way. */
export class BackgroundAuthoring {
  @TextField({
    description: 'What it is called.',
    required: true,
    min: 1,
    max: 128,
    example: 'North courtyard',
  })
  display_name: string;

  @ChoiceField({
    description: 'Where it is.',
    required: true,
    name: 'BackgroundSetting',
    values: ['studio_set', 'indoor_location', 'outdoor_location'],
  })
  setting: string;

  @ChoiceField({
    description: 'What kind of picture it looks like.',
    required: true,
    name: 'PhotographicRegister',
    values: ['real_photo', 'film_photo', 'studio_set', 'render'],
  })
  photographic_register: string;

  @NestedField({ description: 'How the space is built.', required: true, shape: TopologyChoice })
  topology: TopologyChoice;

  @NestedField({ description: 'Where the subject will stand.', required: true, shape: SubjectZoneChoice })
  subject_zone: SubjectZoneChoice;

  @ListField({
    description: 'The crops that it has to work for.',
    required: true,
    min: 1,
    max: 3,
    unique: true,
    items: choice(['full', 'three_quarter', 'torso']),
    example: ['full', 'three_quarter'],
  })
  supported_crops: string[];

  @NestedField({ description: 'What the subject will stand on.', required: true, shape: GroundChoice })
  ground: GroundChoice;

  @NestedField({ description: 'How it is lit.', required: true, shape: LightChoice })
  light: LightChoice;

  @ListField({
    description: 'Its colours, by name or as `#rrggbb`.',
    required: true,
    min: 1,
    max: 3,
    items: text({ min: 1, max: 64 }),
    example: ['limewash', 'terracotta'],
  })
  palette: string[];

  @ListField({
    description: 'Things that make the place recognisable.',
    required: true,
    min: 2,
    max: 4,
    items: text({ min: 1, max: 120 }),
    example: ['arched doorway', 'olive tree in a pot'],
  })
  scene_anchors: string[];

  @TextField({ description: 'What its surfaces are like.', min: 3, max: 240 })
  surface_character?: string;
}

export class BackgroundGeneratorBody extends CommonFields {
  @NestedField({
    description: 'The scene, the canonical way. It excludes scene_type, mood and dominant_colors.',
    shape: BackgroundAuthoring,
  })
  authoring?: BackgroundAuthoring;

  @IdField({ description: 'A background of yours, of which a new version is drawn.' })
  background_public_id?: string;

  @TextField(sceneType)
  scene_type?: string;

  @TextField(mood)
  mood?: string;

  @ListField(dominantColours)
  dominant_colors?: string[];
}

export function backgroundGeneratorProblems(body: BackgroundGeneratorBody): FieldProblem[] {
  const { authoring } = body;
  if (!authoring) return [];
  const excluded = (['scene_type', 'mood', 'dominant_colors'] as const)
    .filter((field) => body[field] !== undefined)
    .map((field): FieldProblem => {
      const msg = 'and authoring exclude each other: authoring describes all of the scene';
      return { loc: ['body', field], msg, type: 'value' };
    });
  const choices = (['topology', 'subject_zone', 'ground', 'light'] as const).flatMap((field) =>
    customWithoutText(authoring[field], ['body', 'authoring', field]),
  );
  return [...excluded, ...choices];
}
