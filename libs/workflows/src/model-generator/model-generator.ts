import type { Brief, PictureMeta } from '@atelier/engine';
import { ChoiceField, IdField, PictureField } from '#validation/fields.js';
import { atLeastOneOf, equal, given, implies, noneOf, Relations } from '#validation/relations.js';
import {
  formatOf,
  metaOf,
  neverAdded,
  photograph,
  pictureOrder,
  sentences,
  type BriefFacts,
} from '../briefing.js';
import {
  ageRanges,
  bodyTypes,
  castingFields,
  castingWords,
  ethnicities,
  genders,
  heritages,
  personInput,
} from '../casting-words.js';
import { isText, pick } from '../coined-name.js';
import { CommonFields, exampleId } from '../common-fields.js';
import { defineWorkflow, valuesOf, type NameFacts } from '../define-workflow.js';
import { familyNames, femaleNames, maleNames, neutralNames } from './given-names.js';

const stages = ['portrait', 'full_body'] as const;
const isFullBody = equal('generation_stage', 'full_body');

@Relations(
  noneOf(
    castingFields,
    isFullBody,
    'is a casting field, and full_body accepts none: the portrait decides',
    'extra_forbidden',
  ),
  atLeastOneOf(
    ['portrait_image_public_id', 'model_spec_public_id'],
    ' with generation_stage full_body',
    isFullBody,
  ),
  implies(given('heritage'), equal('ethnicity', 'indian'), {
    field: 'heritage',
    msg: 'needs ethnicity indian',
  }),
)
export class ModelGeneratorBody extends CommonFields {
  @ChoiceField({
    description:
      '`portrait` casts a model from a profile. `full_body` carries an approved portrait into a full-length figure: ' +
      'it needs model_spec_public_id or portrait_image_public_id, and accepts no casting fields.',
    values: stages,
    name: 'GenerationStage',
    default: 'portrait',
  })
  generation_stage: (typeof stages)[number] = 'portrait';

  @ChoiceField({ description: 'Casting.', values: valuesOf(genders), name: 'Gender' })
  gender?: keyof typeof genders;

  @ChoiceField({ description: 'Casting.', values: valuesOf(ethnicities), name: 'Ethnicity' })
  ethnicity?: keyof typeof ethnicities;

  @ChoiceField({
    description: 'Casting: a finer choice for ethnicity `indian`, and only with it.',
    values: valuesOf(heritages),
    name: 'Heritage',
  })
  heritage?: keyof typeof heritages;

  @ChoiceField({ description: 'Casting.', values: valuesOf(bodyTypes), name: 'BodyType' })
  body_type?: keyof typeof bodyTypes;

  @ChoiceField({ description: 'Casting.', values: valuesOf(ageRanges), name: 'AgeRange' })
  age_range?: keyof typeof ageRanges;

  @IdField({
    description: 'The job of the portrait whose model spec to use.',
    choices: '/v1/renders',
  })
  model_spec_public_id?: string;

  @PictureField({ description: 'The approved portrait: an uploaded asset, or the job that made it.' })
  portrait_image_public_id?: string;
}

export const modelGenerator = defineWorkflow({
  name: 'model-generator',
  jobType: 'MODEL_GENERATOR',
  opClass: 'generator',
  credits: 5,
  summary:
    'Draw a fashion model from a casting profile, or carry an approved portrait into a full-length figure',
  body: ModelGeneratorBody,
  examples: {
    portrait: {
      gender: 'FEMALE',
      ethnicity: 'indian',
      heritage: 'south_indian',
      age_range: '22-26',
      seed: 7,
    },
    full_body: { generation_stage: 'full_body', portrait_image_public_id: exampleId },
  },
  references: [
    { field: 'portrait_image_public_id', by: 'picture', input: 'portrait_image', tells: 'person' },
    // A model spec has the id of the job that made it, and that job's picture is the portrait.
    { field: 'model_spec_public_id', by: 'picture', input: 'portrait_image', tells: 'person' },
  ],
  coinName: modelName,
  brief: modelBrief,
});

/** A full-length figure shows the person of its portrait, whose `meta` has the gender. */
function modelName({ seed, body, pictures }: NameFacts<ModelGeneratorBody>): string {
  const gender = [body.gender, ...pictures.map((known) => known?.['gender'])].find(isText);
  const given = gender === 'FEMALE' ? femaleNames : gender === 'MALE' ? maleNames : neutralNames;
  return `${pick(given, seed, 1)} ${pick(familyNames, seed, 2)}`;
}

const noStudioVanities = [
  'resemble a celebrity or any other real public person',
  'retouch the skin until it looks artificial',
  'add jewellery, glasses, headwear or a printed pattern',
  ...neverAdded,
];

function modelBrief(facts: BriefFacts<ModelGeneratorBody>): Brief {
  return {
    steps: [facts.body.generation_stage === 'full_body' ? fullBodyOrder(facts) : portraitOrder(facts)],
  };
}

/** A casting card: clothes and backdrop are plain, so that they suit the garments of later pictures. */
function portraitOrder({ body, pictures, displayName }: BriefFacts<ModelGeneratorBody>) {
  const known = pictures.some(({ name }) => name === 'portrait_image');
  return pictureOrder({
    name: 'portrait',
    task: 'model_portrait',
    instruction: sentences(
      `Photograph ${castingWords(body)}: a fashion model, for a casting card.`,
      known ? 'It is the person of image 1, photographed anew.' : '',
      'Head and shoulders, facing the camera at eye level with a calm, neutral expression, the whole head inside the frame.',
      'The hair is natural and away from the face, the make-up minimal, the top a plain white crew neck.',
      'Plain light-grey studio backdrop, large soft light from the front, 85 mm lens, sharp focus on the eyes.',
      photograph,
    ),
    inputs: known ? [personInput(pictures, 'portrait_image', 'the person to photograph anew.')] : [],
    keep: known ? ['the identity, face, skin tone and hair of the person of image 1'] : [],
    avoid: noStudioVanities,
    ...formatOf(body, '4:5'),
    gives: {
      kind: 'model_portrait',
      label: displayName || 'Model portrait',
      role: 'final',
      meta: castingOf({ ...body }),
    },
  });
}

function fullBodyOrder({ body, pictures, displayName }: BriefFacts<ModelGeneratorBody>) {
  return pictureOrder({
    name: 'full_body',
    task: 'model_full_body',
    instruction: sentences(
      'Photograph the person of image 1 at full length, from head to feet, as the base for later fashion pictures.',
      'They stand upright and relaxed, facing the camera, the arms a little away from the body, both hands and both feet visible.',
      'They wear a plain white T-shirt, slim light-grey trousers and plain white shoes.',
      'Plain light-grey seamless studio backdrop, even soft light, a faint contact shadow under the feet, camera at waist height.',
      photograph,
    ),
    inputs: [personInput(pictures, 'portrait_image', 'the approved portrait of the person.')],
    keep: ['the identity, face, expression, skin tone, hair and apparent age of the person of image 1'],
    avoid: ['crop the head, the hands or the feet', ...noStudioVanities],
    ...formatOf(body, '2:3'),
    gives: {
      kind: 'model_full_body',
      label: displayName || 'Model, full length',
      role: 'final',
      meta: castingOf(metaOf(pictures, 'portrait_image')),
    },
  });
}

/** The casting, so that pictures made from this one know it too. */
function castingOf(meta: Readonly<Record<string, unknown>> | undefined): PictureMeta {
  return Object.fromEntries(
    castingFields.flatMap((field) => (isText(meta?.[field]) ? [[field, meta[field]]] : [])),
  );
}
