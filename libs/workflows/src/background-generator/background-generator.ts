import { choice, ChoiceField, IdField, ListField, NestedField, text, TextField } from '#validation/fields.js';
import type { FieldProblem } from '#validation/validate.js';
import { isText, pick, titled } from '../coined-name.js';
import { CommonFields, dominantColours, mood, sceneType } from '../common-fields.js';
import { customWithoutText, defineWorkflow, type NameFacts } from '../define-workflow.js';

const topologies = [
  'seamless_sweep',
  'shallow_wall',
  'rear_plane_room',
  'courtyard_veranda',
  'street_path',
  'textile_installation',
  'open_location',
  'custom',
] as const;
const subjectZones = [
  'near_rear_plane',
  'framed_between_sides',
  'shallow_patio',
  'receding_path',
  'central_open',
  'custom',
] as const;
const grounds = ['seamless', 'stone_paving', 'plaster_tile', 'wood', 'earth_grass', 'custom'] as const;
const lights = [
  'soft_frontal',
  'soft_side_daylight',
  'overcast',
  'warm_directional_sun',
  'quiet_low_key',
  'custom',
] as const;
const settings = ['studio_set', 'indoor_location', 'outdoor_location'] as const;
const registers = ['real_photo', 'film_photo', 'studio_set', 'render'] as const;
const crops = ['full', 'three_quarter', 'torso'] as const;

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
    values: topologies,
  })
  preset: (typeof topologies)[number];
}

/** Where the subject will stand. */
export class SubjectZoneChoice extends CustomText {
  @ChoiceField({
    description: 'One of the known ones, or `custom`.',
    required: true,
    name: 'SubjectZonePreset',
    values: subjectZones,
  })
  preset: (typeof subjectZones)[number];
}

/** What the subject will stand on. */
export class GroundChoice extends CustomText {
  @ChoiceField({
    description: 'One of the known ones, or `custom`.',
    required: true,
    name: 'GroundPreset',
    values: grounds,
  })
  preset: (typeof grounds)[number];
}

/** How it is lit. */
export class LightChoice extends CustomText {
  @ChoiceField({
    description: 'One of the known ones, or `custom`.',
    required: true,
    name: 'LightPreset',
    values: lights,
  })
  preset: (typeof lights)[number];
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
    values: settings,
  })
  setting: (typeof settings)[number];

  @ChoiceField({
    description: 'What kind of picture it looks like.',
    required: true,
    name: 'PhotographicRegister',
    values: registers,
  })
  photographic_register: (typeof registers)[number];

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
    items: choice(crops),
    example: ['full', 'three_quarter'],
  })
  supported_crops: (typeof crops)[number][];

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

export const backgroundGenerator = defineWorkflow({
  name: 'background-generator',
  jobType: 'BACKGROUND_GENERATOR',
  opClass: 'generator',
  credits: 5,
  summary: 'Draw a scene to set figures in',
  body: BackgroundGeneratorBody,
  examples: {
    authoring: {
      authoring: {
        display_name: 'North courtyard',
        setting: 'outdoor_location',
        photographic_register: 'real_photo',
        topology: { preset: 'courtyard_veranda' },
        subject_zone: { preset: 'framed_between_sides' },
        supported_crops: ['full', 'three_quarter'],
        ground: { preset: 'stone_paving' },
        light: { preset: 'custom', custom_text: 'late sun through a screen of leaves' },
        palette: ['limewash', 'terracotta'],
        scene_anchors: ['arched doorway', 'olive tree in a pot'],
      },
      resolution: '2K',
    },
    legacy: { scene_type: 'rooftop terrace', mood: 'calm', dominant_colors: ['sand', '#8a9a82'] },
  },
  // An existing background, of which a new version is drawn.
  references: [{ field: 'background_public_id', by: 'picture', input: 'background_image' }],
  batch: undefined,
  problems: sceneProblems,
  coinName: sceneName,
});

function sceneProblems(body: BackgroundGeneratorBody): FieldProblem[] {
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

const lightWords: Partial<Record<string, readonly string[]>> = {
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

const placeWords: Partial<Record<string, readonly string[]>> = {
  seamless_sweep: ['Sweep', 'Backdrop', 'Cove'],
  shallow_wall: ['Wall', 'Plaster', 'Alcove'],
  rear_plane_room: ['Room', 'Salon', 'Atelier'],
  courtyard_veranda: ['Courtyard', 'Veranda', 'Patio'],
  street_path: ['Street', 'Lane', 'Arcade'],
  textile_installation: ['Drapery', 'Canopy', 'Loom'],
  open_location: ['Field', 'Terrace', 'Shore'],
};
const anyPlace = 'Scene Setting Place Stage View Corner Space Frame Ground Prospect'.split(' ');

function sceneName({ seed, body }: NameFacts<BackgroundGeneratorBody>): string {
  const { authoring } = body;
  if (isText(authoring?.display_name)) return authoring.display_name;
  const light = (authoring && lightWords[authoring.light.preset]) ?? anyLight;
  const place = (authoring && placeWords[authoring.topology.preset]) ?? anyPlace;
  const feeling = titled(body.mood, 24) ?? pick(light, seed, 3);
  return `${feeling} ${titled(body.scene_type, 48) ?? pick(place, seed, 4)}`;
}
