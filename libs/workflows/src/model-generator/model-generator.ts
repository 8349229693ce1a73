import { ChoiceField, IdField, PictureField } from '#validation/fields.js';
import type { FieldProblem } from '#validation/validate.js';
import { isText, pick } from '../coined-name.js';
import { CommonFields, exampleId } from '../common-fields.js';
import { defineWorkflow, type NameFacts } from '../define-workflow.js';
import { familyNames, femaleNames, maleNames, neutralNames } from './given-names.js';

const stages = ['portrait', 'full_body'] as const;
const genders = ['MALE', 'FEMALE'] as const;
const bodyTypes = ['slim', 'athletic', 'balanced', 'fuller'] as const;
const ageRanges = ['18-22', '22-26', '26-30', '30-34', '34-40'] as const;

const ethnicities = [
  'indian',
  'pakistani_bangladeshi',
  'sri_lankan_nepali',
  'east_asian',
  'southeast_asian',
  'middle_eastern',
  'central_asian',
  'north_african',
  'west_african',
  'east_african',
  'southern_african',
  'black_diaspora',
  'afro_caribbean',
  'northern_european',
  'southern_european',
  'eastern_european',
  'latin_american',
  'indigenous_american',
  'pacific_islander',
  'mixed_heritage',
] as const;

const heritages = [
  'himalayan_north',
  'punjabi_northwest',
  'gangetic_central',
  'western_coastal',
  'eastern_bengali',
  'south_indian',
] as const;

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

  @ChoiceField({ description: 'Casting.', values: genders, name: 'Gender' })
  gender?: (typeof genders)[number];

  @ChoiceField({ description: 'Casting.', values: ethnicities, name: 'Ethnicity' })
  ethnicity?: (typeof ethnicities)[number];

  @ChoiceField({
    description: 'Casting: a closer look at ethnicity `indian`, and only with it.',
    values: heritages,
    name: 'Heritage',
  })
  heritage?: (typeof heritages)[number];

  @ChoiceField({ description: 'Casting.', values: bodyTypes, name: 'BodyType' })
  body_type?: (typeof bodyTypes)[number];

  @ChoiceField({ description: 'Casting.', values: ageRanges, name: 'AgeRange' })
  age_range?: (typeof ageRanges)[number];

  @IdField({ description: 'The job of the portrait whose model spec is to be used.' })
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
    { field: 'portrait_image_public_id', by: 'picture', input: 'portrait_image' },
    // A model spec goes by the job that minted it, and that job's picture is the portrait.
    { field: 'model_spec_public_id', by: 'picture', input: 'portrait_image' },
  ],
  batch: undefined,
  problems: castingProblems,
  coinName: modelName,
});

const castingFields = ['gender', 'ethnicity', 'heritage', 'body_type', 'age_range'] as const;

function castingProblems(body: ModelGeneratorBody): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (body.generation_stage === 'full_body') {
    for (const field of castingFields) {
      if (body[field] === undefined) continue;
      const msg = 'is a casting field, and full_body accepts none: the portrait decides';
      problems.push({ loc: ['body', field], msg, type: 'extra_forbidden' });
    }
    if (body.model_spec_public_id === undefined && body.portrait_image_public_id === undefined) {
      const msg = 'or model_spec_public_id is required with generation_stage full_body';
      problems.push({ loc: ['body', 'portrait_image_public_id'], msg, type: 'missing' });
    }
  } else if (body.heritage !== undefined && body.ethnicity !== 'indian') {
    problems.push({ loc: ['body', 'heritage'], msg: 'needs ethnicity indian', type: 'value' });
  }
  return problems;
}

/** A full-length figure is the person of its portrait, whose gender its `meta` tells. */
function modelName({ seed, body, pictures }: NameFacts<ModelGeneratorBody>): string {
  const gender = [body.gender, ...pictures.map((known) => known?.['gender'])].find(isText);
  const given = gender === 'FEMALE' ? femaleNames : gender === 'MALE' ? maleNames : neutralNames;
  return `${pick(given, seed, 1)} ${pick(familyNames, seed, 2)}`;
}
