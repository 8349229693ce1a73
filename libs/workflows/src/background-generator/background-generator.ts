import type { Brief, PictureMeta } from '@atelier/engine';
import { choice, ChoiceField, IdField, ListField, NestedField, text, TextField } from '#validation/fields.js';
import { given, noneOf, Relations } from '#validation/relations.js';
import { formatOf, listed, noText, onePicture, sentences, type BriefFacts } from '../briefing.js';
import { isText, pick, titled } from '../coined-name.js';
import { CommonFields, customNeedsWords, dominantColours, mood, sceneType } from '../common-fields.js';
import { defineWorkflow, valuesOf, type NameFacts } from '../define-workflow.js';
import {
  crops,
  grounds,
  lights,
  looseSceneWords,
  registers,
  roomWords,
  sceneInput,
  sceneWords,
  settings,
  subjectZones,
  topologies,
} from '../scene-words.js';

function PresetField(name: string, table: object): PropertyDecorator {
  const values = [...valuesOf(table), 'custom'];
  return ChoiceField({ description: 'A known preset, or `custom`.', required: true, name, values });
}

class CustomText {
  @TextField({ description: 'Your own words, if the preset is `custom`.', min: 3, max: 240 })
  custom_text?: string;
}

/** The build of the space. */
@Relations(customNeedsWords)
export class TopologyChoice extends CustomText {
  @PresetField('TopologyPreset', topologies)
  preset: keyof typeof topologies | 'custom';
}

/** Where the subject will stand. */
@Relations(customNeedsWords)
export class SubjectZoneChoice extends CustomText {
  @PresetField('SubjectZonePreset', subjectZones)
  preset: keyof typeof subjectZones | 'custom';
}

/** The ground under the subject. */
@Relations(customNeedsWords)
export class GroundChoice extends CustomText {
  @PresetField('GroundPreset', grounds)
  preset: keyof typeof grounds | 'custom';
}

/** The light. */
@Relations(customNeedsWords)
export class LightChoice extends CustomText {
  @PresetField('LightPreset', lights)
  preset: keyof typeof lights | 'custom';
}

/** A scene, described the canonical way. */
export class BackgroundAuthoring {
  @TextField({
    description: 'Its name.',
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
    values: valuesOf(settings),
  })
  setting: keyof typeof settings;

  @ChoiceField({
    description: 'The kind of picture that it looks like.',
    required: true,
    name: 'PhotographicRegister',
    values: valuesOf(registers),
  })
  photographic_register: keyof typeof registers;

  @NestedField({ description: 'How the space is built.', required: true, shape: TopologyChoice })
  topology: TopologyChoice;

  @NestedField({ description: 'Where the subject will stand.', required: true, shape: SubjectZoneChoice })
  subject_zone: SubjectZoneChoice;

  @ListField({
    description: 'The crops that it has to work for.',
    required: true,
    min: 1,
    max: 3,
    items: choice(valuesOf(crops)),
    example: ['full', 'three_quarter'],
  })
  supported_crops: (keyof typeof crops)[];

  @NestedField({
    description: 'The ground that the subject will stand on.',
    required: true,
    shape: GroundChoice,
  })
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

  @TextField({ description: 'The look of its surfaces.', min: 3, max: 240 })
  surface_character?: string;
}

@Relations(
  noneOf(
    ['scene_type', 'mood', 'dominant_colors'],
    given('authoring'),
    'and authoring exclude each other: authoring describes all of the scene',
  ),
)
export class BackgroundGeneratorBody extends CommonFields {
  @NestedField({
    description: 'The scene in the canonical form. Not together with scene_type, mood or dominant_colors.',
    shape: BackgroundAuthoring,
  })
  authoring?: BackgroundAuthoring;

  @IdField({
    description: 'One of your backgrounds, to draw a new version of it.',
    choices: '/v1/catalog/backgrounds',
  })
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
  coinName: sceneName,
  brief: backgroundBrief,
});

const lightWords: Partial<Record<string, readonly string[]>> = {
  soft_frontal: ['Clear', 'Gentle', 'Even'],
  soft_side_daylight: ['Daylit', 'Window', 'Morning'],
  overcast: ['Overcast', 'Silver', 'Pale'],
  warm_directional_sun: ['Sunlit', 'Golden', 'Amber'],
  quiet_low_key: ['Quiet', 'Dusky', 'Still'],
};
/** The engine chooses what the caller left open, so a name must not promise a light, a place or a colour. */
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

/** An empty place; later pictures add people. */
function backgroundBrief({ body, pictures, displayName }: BriefFacts<BackgroundGeneratorBody>): Brief {
  const { authoring } = body;
  const known = pictures.some(({ name }) => name === 'background_image');
  const described = authoring
    ? sentences(sceneWords(authoring), roomWords(authoring))
    : looseSceneWords(body);
  return onePicture({
    name: 'background',
    task: 'background',
    instruction: sentences(
      known
        ? 'Photograph a new version of the place of image 1, as an empty backdrop for fashion photographs.'
        : 'Photograph an empty place, as a backdrop for fashion photographs.',
      described,
      'The camera is level and at chest height, with a normal lens and everything in focus.',
      'The middle of the picture, where a person will stand later, is free and has visible ground.',
    ),
    inputs: known ? [sceneInput(pictures, 'background_image')] : [],
    keep: known
      ? [
          `what the place of image 1 is and how it is built${described ? ', where nothing else is said above' : ''}`,
        ]
      : [],
    avoid: ['show people, mannequins, animals or garments', noText],
    ...formatOf(body, '3:4'),
    gives: { kind: 'background', label: displayName || 'Background', role: 'final', meta: sceneMeta(body) },
  });
}

/** The facts about the place for later pictures. */
function sceneMeta({
  authoring,
  scene_type: type,
  mood,
  dominant_colors: colours,
}: BackgroundGeneratorBody): PictureMeta {
  if (authoring) return { scene: { ...authoring } };
  const said = listed([type, mood, ...(colours ?? [])].filter((each) => each !== undefined));
  return said ? { described_as: said } : {};
}
