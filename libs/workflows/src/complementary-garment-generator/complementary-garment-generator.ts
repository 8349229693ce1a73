import type { Brief } from '@atelier/engine';
import { categoryByKey } from '#domain/garment/garment-categories.js';
import { ChoiceField, IdField, ListField, nested, NestedField, TextField } from '#validation/fields.js';
import { given, noneOf, Relations } from '#validation/relations.js';
import { formatOf, listed, noText, onePicture, sentences, type BriefFacts } from '../briefing.js';
import { pick, titled } from '../coined-name.js';
import { CommonFields, customNeedsWords, exampleId } from '../common-fields.js';
import { defineWorkflow, valuesOf, type NameFacts } from '../define-workflow.js';

/** How close a garment sits, each value with the words for it. */
const fits = {
  slim: 'a slim fit, close to the body',
  regular: 'a regular fit',
  loose: 'a loose, roomy fit',
} as const;
const colour = { description: 'Its main colour, by name or as `#rrggbb`.', min: 1, max: 80, example: 'sage' };
const material = { description: 'Its material.', min: 1, max: 100, example: 'linen' };
const pattern = { description: 'Its pattern.', min: 1, max: 100, example: 'striped' };
const length = { description: 'How long it is.', min: 1, max: 80, example: 'midi' };
const fit = { description: 'How closely it fits.', name: 'GarmentFit', values: valuesOf(fits) };

/** A vocabulary's value, or `custom`. */
@Relations(customNeedsWords)
export class PresetOrCustom {
  @TextField({
    description: 'A word for it, or `custom`.',
    required: true,
    min: 1,
    max: 80,
    example: 'a-line',
  })
  preset: string;

  @TextField({ description: 'Your own words, if the preset is `custom`.', min: 1, max: 120 })
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
    description: 'Its special details: buttons, pockets, pleats.',
    max: 3,
    items: nested(PresetOrCustom),
    example: [{ preset: 'patch pockets' }],
  })
  distinctive_details?: PresetOrCustom[];

  @TextField({ description: 'Further wishes.', min: 1, max: 280 })
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
  fit?: keyof typeof fits;

  @TextField(length)
  length?: string;
}

const flatFields = ['color', 'material', 'pattern', 'fit', 'length'];
const oneForm = (newer: string) => `and ${newer} exclude each other: describe the garment in one form`;

@Relations(
  noneOf(['attributes', ...flatFields], given('authoring'), oneForm('authoring')),
  noneOf(flatFields, given('attributes'), oneForm('attributes')),
)
export class ComplementaryGarmentGeneratorBody extends CommonFields {
  @IdField({
    description: 'The kind of garment: a category from `GET /v1/garment-categories`.',
    required: true,
    choices: '/v1/garment-categories',
  })
  garment_category_public_id: string;

  @NestedField({
    description: 'The garment in the canonical form. Not together with attributes or the flat fields.',
    shape: GarmentAuthoring,
  })
  authoring?: GarmentAuthoring;

  @NestedField({
    description: 'The garment in the form of version 2. Not together with authoring or the flat fields.',
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
  fit?: keyof typeof fits;

  @TextField({ ...length, description: `Flat form. ${length.description}` })
  length?: string;
}

const skirt = categoryByKey('skirt')?.publicId ?? exampleId;

export const complementaryGarmentGenerator = defineWorkflow({
  name: 'complementary-garment-generator',
  jobType: 'COMPLEMENTARY_GARMENT_GENERATOR',
  opClass: 'generator',
  credits: 5,
  summary: 'Draw a styling item that goes with a garment',
  body: ComplementaryGarmentGeneratorBody,
  examples: {
    authoring: {
      garment_category_public_id: skirt,
      authoring: {
        primary_colour: 'sage',
        material: 'linen',
        form: { preset: 'a-line' },
        length: { preset: 'custom', custom_text: 'just below the knee' },
        distinctive_details: [{ preset: 'patch pockets' }],
      },
    },
    attributes: {
      garment_category_public_id: skirt,
      attributes: { colour: 'rust', material: 'wool', fit: 'slim' },
    },
    flat: { garment_category_public_id: skirt, color: 'navy', pattern: 'striped', fit: 'regular' },
  },
  references: [{ field: 'garment_category_public_id', by: 'category' }],
  coinName: garmentName,
  brief: garmentBrief,
});

const anyGarment = 'Everyday Classic Easy Weekend Studio Signature Essential Favourite'.split(' ');

/**
 * Colour, pattern, material, thing: `Sage Striped Linen Skirt`. The newest of the body's three forms takes precedence.
 */
function garmentName({ seed, body, category }: NameFacts<ComplementaryGarmentGeneratorBody>): string {
  const { authoring, attributes } = body;
  const said = (...values: (string | undefined)[]) =>
    values.map((value) => titled(value, 32)).find((value) => value);
  const colour = said(authoring?.primary_colour, attributes?.colour, body.color);
  const pattern = said(authoring?.pattern, attributes?.pattern, body.pattern);
  const material = said(authoring?.material, attributes?.material, body.material);
  const words = [
    colour ?? (material === undefined ? pick(anyGarment, seed, 5) : undefined),
    pattern === 'Solid' ? undefined : pattern,
    material,
    category ?? 'Garment',
  ];
  return words.filter((word) => word !== undefined).join(' ');
}

const wordsOfChoice = (choice: PresetOrCustom | undefined): string | undefined =>
  choice?.preset === 'custom' ? choice.custom_text : choice?.preset.replaceAll('_', ' ');

/** The caller's wishes for the garment, from any of the three forms. */
function wishesOf({ authoring, attributes, ...flat }: ComplementaryGarmentGeneratorBody) {
  if (authoring) {
    const { primary_colour: colour, form, length, distinctive_details: details = [] } = authoring;
    return {
      colour,
      material: authoring.material,
      pattern: authoring.pattern,
      cut: wordsOfChoice(form),
      length: wordsOfChoice(length),
      details: details.flatMap((detail) => wordsOfChoice(detail) ?? []),
      direction: authoring.creative_direction,
    };
  }
  const { material, pattern, fit, length } = attributes ?? flat;
  return {
    colour: attributes ? attributes.colour : flat.color,
    material,
    pattern,
    length,
    cut: fit && fits[fit],
    details: [],
    direction: undefined,
  };
}

/** A product shot by itself: the garment goes on a person in later pictures. */
function garmentBrief({ body, category, displayName }: BriefFacts<ComplementaryGarmentGeneratorBody>): Brief {
  const { colour, material, pattern, cut, length, details, direction } = wishesOf(body);
  const thing = category?.displayLabel.toLowerCase() ?? 'garment';
  return onePicture({
    name: 'garment',
    task: 'garment',
    instruction: sentences(
      `Photograph one ${thing} as a product shot for a fashion catalogue.`,
      colour && `Its main colour is ${colour}.`,
      material && `It is made of ${material}; the weave or surface of the material can be seen.`,
      pattern &&
        (pattern.toLowerCase() === 'solid'
          ? 'It is of one colour, without a pattern.'
          : `Its pattern: ${pattern}.`),
      cut && `Its cut: ${cut}.`,
      length && `Its length: ${length}.`,
      details.length > 0 ? `Its details: ${listed(details)}.` : undefined,
      direction && `Further direction: ${direction.replace(/\.$/, '')}.`,
      'It is shown whole, from the front, symmetrical and unworn, as if laid flat or held by an invisible form, with its own volume and natural folds.',
      'Plain white background, even soft light, true colours, a faint shadow.',
    ),
    inputs: [],
    keep: [],
    avoid: ['show a person, mannequin, hanger, props or packaging', 'show a second garment', noText],
    ...formatOf(body, '4:5'),
    gives: {
      kind: 'complementary_garment',
      label: displayName || (category?.displayLabel ?? 'Garment'),
      role: 'final',
      meta: {
        garment_category_public_id: body.garment_category_public_id,
        ...(category && { category_key: category.key, slot: category.slot }),
        ...(colour && { primary_colour: colour }),
        ...(material && { material }),
        ...(pattern && { pattern }),
      },
    },
  });
}
