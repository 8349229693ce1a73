import type { FieldProblem } from '#validation/validate.js';
import { ChoiceField, IdField, ListField, nested, NestedField, TextField } from '#validation/fields.js';
import { CommonFields } from './common-fields.dto.js';
import { customWithoutText } from './field-relations.js';

const colour = { description: 'Its main colour, by name or as `#rrggbb`.', min: 1, max: 80, example: 'sage' };
const material = { description: 'What it is made of.', min: 1, max: 100, example: 'linen' };
const pattern = { description: 'What is on it.', min: 1, max: 100, example: 'striped' };
const length = { description: 'How long it is.', min: 1, max: 80, example: 'midi' };
const fit = {
  description: 'How close it sits.',
  name: 'GarmentFit',
  values: ['slim', 'regular', 'loose'],
};

/** Something of a vocabulary of your own, or `custom`. */
export class PresetOrCustom {
  @TextField({
    description: 'A word for it, or `custom`.',
    required: true,
    min: 1,
    max: 80,
    example: 'a-line',
  })
  preset: string;

  @TextField({ description: 'What it is, where the preset is `custom`.', min: 1, max: 120 })
  custom_text?: string;
}

/** A garment, described the canonical way. */
export class GarmentAuthoring {
  @TextField({ ...colour, required: true })
  primary_colour: string;

  @TextField({ ...material, required: true })
  material: string;

  @TextField({ ...pattern, default: 'solid' })
  pattern: string = 'solid';

  @NestedField({ description: 'Its cut.', shape: PresetOrCustom })
  form?: PresetOrCustom;

  @NestedField({ description: 'How long it is.', shape: PresetOrCustom })
  length?: PresetOrCustom;

  @ListField({
    description: 'What sets it apart: buttons, pockets, pleats.',
    max: 3,
    items: nested(PresetOrCustom),
    example: [{ preset: 'patch pockets' }],
  })
  distinctive_details?: PresetOrCustom[];

  @TextField({ description: 'What else you have in mind.', min: 1, max: 280 })
  creative_direction?: string;
}

/** A garment, described as in version 2. */
export class GarmentAttributes {
  @TextField(colour)
  colour?: string;

  @TextField(material)
  material?: string;

  @TextField(pattern)
  pattern?: string;

  @ChoiceField(fit)
  fit?: string;

  @TextField(length)
  length?: string;
}

export class ComplementaryGarmentGeneratorBody extends CommonFields {
  @IdField({
    description: 'What kind of garment it is: a category of `GET /v1/garment-categories`.',
    required: true,
  })
  garment_category_public_id: string;

  @NestedField({
    description: 'The garment, the canonical way. It excludes attributes and the flat fields.',
    shape: GarmentAuthoring,
  })
  authoring?: GarmentAuthoring;

  @NestedField({
    description: 'The garment as in version 2. It excludes authoring and the flat fields.',
    shape: GarmentAttributes,
  })
  attributes?: GarmentAttributes;

  @TextField({ ...colour, description: `Flat form. ${colour.description}` })
  color?: string;

  @TextField({ ...material, description: `Flat form. ${material.description}` })
  material?: string;

  @TextField({ ...pattern, description: `Flat form. ${pattern.description}` })
  pattern?: string;

  @ChoiceField({ ...fit, description: `Flat form. ${fit.description}` })
  fit?: string;

  @TextField({ ...length, description: `Flat form. ${length.description}` })
  length?: string;
}

const flatFields = ['color', 'material', 'pattern', 'fit', 'length'] as const;

/** The newest form that is there counts; whatever belongs to an older one is in its way. */
export function complementaryGarmentProblems(body: ComplementaryGarmentGeneratorBody): FieldProblem[] {
  const { authoring, attributes } = body;
  const newest = authoring ? 'authoring' : attributes ? 'attributes' : undefined;
  const older = newest === undefined ? [] : flatFields.filter((field) => body[field] !== undefined);
  const excluded = [...(authoring && attributes ? ['attributes'] : []), ...older].map(
    (field): FieldProblem => {
      const msg = `and ${newest} exclude each other: describe the garment in one form`;
      return { loc: ['body', field], msg, type: 'value' };
    },
  );
  const loc = ['body', 'authoring'];
  return [
    ...excluded,
    ...customWithoutText(authoring?.form, [...loc, 'form']),
    ...customWithoutText(authoring?.length, [...loc, 'length']),
    ...(authoring?.distinctive_details ?? []).flatMap((detail, index) =>
      customWithoutText(detail, [...loc, 'distinctive_details', index]),
    ),
  ];
}
