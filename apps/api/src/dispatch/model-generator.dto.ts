import type { FieldProblem } from '#validation/validate.js';
import { ChoiceField, IdField } from '#validation/fields.js';
import { CommonFields } from './common-fields.dto.js';

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
    values: ['portrait', 'full_body'],
    name: 'GenerationStage',
    default: 'portrait',
  })
  generation_stage: string = 'portrait';

  @ChoiceField({ description: 'Casting.', values: ['MALE', 'FEMALE'], name: 'Gender' })
  gender?: string;

  @ChoiceField({ description: 'Casting.', values: ethnicities, name: 'Ethnicity' })
  ethnicity?: string;

  @ChoiceField({
    description: 'Casting: a closer look at ethnicity `indian`, and only with it.',
    values: heritages,
    name: 'Heritage',
  })
  heritage?: string;

  @ChoiceField({
    description: 'Casting.',
    values: ['slim', 'athletic', 'balanced', 'fuller'],
    name: 'BodyType',
  })
  body_type?: string;

  @ChoiceField({
    description: 'Casting.',
    values: ['18-22', '22-26', '26-30', '30-34', '34-40'],
    name: 'AgeRange',
  })
  age_range?: string;

  @IdField({ description: 'The job of the portrait whose model spec is to be used.' })
  model_spec_public_id?: string;

  @IdField({ description: 'The approved portrait: an uploaded asset, or the job that made it.' })
  portrait_image_public_id?: string;
}

const castingFields = ['gender', 'ethnicity', 'heritage', 'body_type', 'age_range'] as const;

export function modelGeneratorProblems(body: ModelGeneratorBody): FieldProblem[] {
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
