import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { wordsOf, type Brief, type BriefStep } from '@atelier/engine';
import { categoryById } from '#domain/garment/garment-categories.js';
import { presetTable } from '#domain/preset/preset-table.js';
import { fieldDescriptions } from '#validation/fields.js';
import { InvalidFields, validate, type Shape } from '#validation/validate.js';
import type { KnownPicture } from './briefing.js';
import type { Workflow } from './define-workflow.js';
import { look } from './look/look.js';
import { workflows } from './workflows.js';

/*
 * The brief of each workflow, in words. Read the snapshots: a change of a brief changes every picture that
 * vendors make. For each value of an enumeration, a snapshot shows the lines that no other example has.
 */

type Body = Readonly<Record<string, unknown>>;
type Path = readonly string[];

interface Enumeration {
  readonly path: Path;
  readonly values: readonly string[];
  readonly list: boolean;
}

/** Fields that only decide how a job fails, or how its picture is encoded, are not for the image model. */
const noWish = new Set(['on_technical_failure', 'output_format']);

interface FieldSchema {
  readonly enum?: readonly string[];
  readonly type?: unknown;
  readonly items?: FieldSchema & { readonly $ref?: string };
}

/** Every enumeration of a body, nested ones too. */
function enumerationsOf(shape: Shape, path: Path = []): Enumeration[] {
  const own = fieldDescriptions.fields.filter(({ prototype }) => isOf(shape, prototype));
  const enums = own.flatMap(({ property, schema }) => {
    const { enum: values, items } = schema as FieldSchema;
    const named = values ?? items?.enum;
    const name = String(property);
    return named && !noWish.has(name) ? [{ path: [...path, name], values: named, list: !values }] : [];
  });
  const inner = own.flatMap(({ property, schema }) => {
    const { type, items } = schema as FieldSchema;
    const below = fieldDescriptions.shapes.find(
      ({ shape: each }) => type === each || items?.$ref?.endsWith(`/${each.name}`),
    );
    return below ? enumerationsOf(below.shape, [...path, String(property)]) : [];
  });
  return [...enums, ...inner];
}

const isOf = (shape: Shape, prototype: object): boolean =>
  shape.prototype === prototype || Object.prototype.isPrototypeOf.call(prototype, shape.prototype as object);

/** The body with a value at the path; undefined if the path does not exist. */
function withValue(body: unknown, [name = '', ...rest]: Path, value: unknown): unknown {
  if (Array.isArray(body)) return body.map((item) => withValue(item, [name, ...rest], value));
  if (typeof body !== 'object' || body === null) return undefined;
  if (rest.length > 0) {
    const inner = withValue((body as Body)[name], rest, value);
    return inner === undefined ? undefined : { ...body, [name]: inner };
  }
  return { ...body, [name]: value, ...(value === 'custom' && { custom_text: 'one of its own kind' }) };
}

function specOf(kind: string): Body | undefined {
  return presetTable.find((preset) => preset.kind === kind)?.spec;
}

/** The known facts about the pictures that a body names: presets have a spec, other things none. */
function picturesOf({ references }: Workflow, body: Body): KnownPicture[] {
  return references.flatMap((reference): KnownPicture[] => {
    if (!('input' in reference)) return [];
    const [field = '', inList] = reference.field.split('[]');
    const named = body[field];
    if (named === undefined) return [];
    if (reference.by === 'preset') return [{ name: reference.input, meta: specOf(reference.kind) }];
    if (inList === undefined) return [{ name: reference.input }];
    return (named as unknown[]).map((_, index) => ({ name: `${reference.input}-${index}` }));
  });
}

function validBody({ body }: Workflow, sent: unknown): Body | undefined {
  try {
    // Safe cast: an example is an object of the body's fields.
    return validate(body, structuredClone(sent) as Body, 'body') as Body;
  } catch (error) {
    if (error instanceof InvalidFields) return undefined;
    throw error;
  }
}

function briefOf(workflow: Workflow, sent: unknown): Brief | undefined {
  const body = validBody(workflow, sent);
  if (!body) return undefined;
  const id = body['garment_category_public_id'];
  const category = typeof id === 'string' ? categoryById(id) : undefined;
  return workflow.brief({ body, pictures: picturesOf(workflow, body), category, displayName: '' });
}

const seen = { person_visible: true, garment_visible: true, background_visible: false };
/** The readers' answers in the snapshots. */
const answers: Readonly<Record<string, unknown>> = {
  garments: { garments: [{ name: 'striped shirt', slot: 'top', primary_colour: 'blue' }, { name: 'jeans' }] },
  photograph: { ...seen, person: { gender: 'FEMALE', age_range: 'unknown' }, recipe: { framing: 'full' } },
  grouping: { person_groups: [{ member_indices: [0, 1, 7], confidence: 0.8 }], location_groups: 'none' },
};

function linesOf(step: BriefStep): string[] {
  switch (step.kind) {
    case 'picture': {
      const { name, task, ratio, longSide, transparent, quality, optional, gives } = step;
      const facts = [`${ratio} ${longSide}px`, transparent && 'transparent', quality, optional && 'optional'];
      const head = `# ${name}: ${task}, ${facts.filter((fact) => fact).join(', ')} → ${gives.role} ${gives.kind}`;
      const meta = Object.keys(gives.meta).length > 0 ? [`meta ${JSON.stringify(gives.meta)}`] : [];
      return [head, ...wordsOf(step).split('\n'), `label ${gives.label}`, ...meta];
    }
    case 'reading': {
      const { name, question, schema, otherwise } = step;
      const then = step.then(answers[name]).flatMap(linesOf);
      const asked = [`# ${name}: reading`, question, `schema ${JSON.stringify(schema)}`];
      return [...asked, '## then', ...then, '## otherwise', ...otherwise.flatMap(linesOf)];
    }
    case 'kept':
      return [
        `# ${step.name}: kept ${JSON.stringify(step.source)} → ${step.gives.kind} ${JSON.stringify(step.gives.meta)}`,
      ];
    case 'missing':
      return [`# ${step.name}: missing ${step.code}: ${step.message}`];
    default:
      return step satisfies never;
  }
}

const sentencesOf = (brief: Brief | undefined): string[] =>
  textOf(brief).flatMap((line) => line.split(/(?<=[.,:]) /));

/** An example, and the same without one of its fields. */
function variantsOf(example: unknown): unknown[] {
  const entries = Object.entries(example as Body);
  return [example, ...entries.map(([left]) => Object.fromEntries(entries.filter(([name]) => name !== left)))];
}

const textOf = (brief: Brief | undefined): string[] => brief?.steps.flatMap(linesOf) ?? [];

const all: readonly Workflow[] = workflows;
const someId = '01K9Z7J0V4M2Q8T6R3N5B1C7DE';

/** Cases that the declarations' own examples do not cover. */
const moreExamples: Readonly<Record<string, Readonly<Record<string, Body>>>> = {
  'try-on': {
    with_a_bag: {
      user_image: someId,
      items: ['top', 'footwear', 'bag'].map((slot) => ({ trial_image: someId, trial_item_category: slot })),
    },
  },
  look: { in_a_place: { ...look.examples.outfit, background_image_public_id: someId } },
  'product-to-model-phased': {
    in_a_place: { product_id: someId, model_image_public_id: someId, background_image_public_id: someId },
  },
  'background-generator': { new_version: { background_public_id: someId, mood: 'calm' } },
  'pdp-batch-extractions': {
    to_be_grouped: { photos: [{ pdp_image_public_id: someId }, { pdp_image_public_id: someId }] },
  },
};

describe.each(all.map((workflow) => [workflow.name, workflow] as const))('the brief of %s', (_, workflow) => {
  const examples = Object.entries({ ...workflow.examples, ...moreExamples[workflow.name] });

  it.each(examples)('says what is wanted: %s', (_name, example) => {
    expect(`\n${textOf(briefOf(workflow, example)).join('\n')}\n`).toMatchSnapshot();
  });

  it('differs for each value of an enumeration', () => {
    const bodies = examples.flatMap(([, example]) => variantsOf(example));
    const own = enumerationsOf(workflow.body).map(({ path, values, list }) => {
      const said = values.map((value) => {
        const told = bodies.map((body) => withValue(body, path, list ? [value] : value));
        const texts = told.map((body) => (body === undefined ? [] : sentencesOf(briefOf(workflow, body))));
        const text = texts.find((sentences) => sentences.length > 0);
        if (!text) throw new Error(`no example of ${workflow.name} takes ${value}: declare one that does`);
        return [value, text] as const;
      });
      expect(new Set(said.map(([, text]) => text.join('\n'))).size).toBe(values.length);
      const common = (each: string) => said.every(([, text]) => text.includes(each));
      const lines = said.map(([value, text]) => {
        const distinctive = new Set(text.filter((each) => !common(each) && !each.startsWith('meta ')));
        return `${value}: ${[...distinctive].join(' | ')}`;
      });
      return `\n${path.join('.')}\n  ${lines.join('\n  ')}`;
    });
    if (own.length > 0) expect(own.join('\n')).toMatchSnapshot();
  });
});
