import { sandboxModel, type ImageModel } from '#platform/image-models.js';
import type { Reference, Workflow } from '#workflows/define-workflow.js';
import { workflowOf } from '#workflows/workflows.js';
import { InvalidFields, validate, type FieldProblem } from '#validation/validate.js';
import { bodySchema, resolve, type Schema } from './body-schemas.js';
import type { Path } from './field-cases.js';
import type { Things } from './things.js';

/*
 * Builds bodies that are accepted, from the examples that a workflow declares. The tenant's own things replace
 * the ids in an example. Missing fields are filled in from openapi.json.
 */

export type Body = Readonly<Record<string, unknown>>;

/** The widest model that can be configured, with the longest id. */
export const wideModel: ImageModel = {
  ...sandboxModel,
  id: 'w'.repeat(64),
  max_inputs: 16,
  supports_quality: false,
};

/** The examples of a workflow by their names. */
export function exampleBodies(workflow: string, things: Things): Readonly<Record<string, Body>> {
  const { examples, references } = workflowOf(workflow);
  return Object.fromEntries(
    Object.entries(examples).map(([name, example]) => [name, withThings({ ...example }, references, things)]),
  );
}

/** The examples, plus one body for each reference that no example has. */
export function bodiesOf(workflow: string, things: Things): Body[] {
  const examples = Object.values(exampleBodies(workflow, things));
  const paths = workflowOf(workflow).references.map(({ field }) => pathOf(field));
  const lacking = paths.filter((path) => examples.every((body) => valueAt(body, path) === undefined));
  return [...examples, ...lacking.map((path) => bodyWith(workflow, things, path))];
}

/**
 * The first example that has a value at the path. Without one: the first example that can take a value there
 * without breaking a rule, if need be in the place of another field or beside a choice.
 */
export function bodyWith(workflow: string, things: Things, path: Path): Body {
  const examples = Object.values(exampleBodies(workflow, things));
  const having = examples.find((body) => valueAt(body, path) !== undefined);
  if (having) return having;
  const completed = examples.map((body) => completedTo(workflow, body, things, path));
  const instead = completed.flatMap((body) => {
    const others = Object.keys(body).filter((name) => name !== path[0]);
    return others.map((name) => withValue(body, [name], undefined));
  });
  // A rule may ask for a choice beside the field.
  const beside = Object.entries(bodySchema(workflow).properties ?? {}).flatMap(([name, property]) => {
    const { enum: values = [] } = resolve(property).schema;
    return completed.flatMap((body) => values.map((value) => withValue(body, [name], value)));
  });
  const fitting = [...completed, ...instead, ...beside].find(
    (body) => brokenRules(workflow, body).length === 0,
  );
  if (!fitting) throw new Error(`no example of ${workflow} takes ${path.join('.')}: declare one that has it`);
  return fitting;
}

/** The rules that a body breaks by itself; nothing that it refers to is looked up. */
export function brokenRules(workflow: string, body: unknown): readonly FieldProblem[] {
  const declared = workflowOf(workflow);
  try {
    validate(declared.body, body, 'body');
    return [];
  } catch (error) {
    if (error instanceof InvalidFields) return error.problems;
    throw error;
  }
}

export function valueAt(body: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (node, part) => (node as Record<string | number, unknown> | undefined)?.[part],
    body,
  );
}

/** A copy of the body with the value at the path; undefined removes the field. */
export function withValue(body: Body, path: Path, value: unknown): Record<string, unknown> {
  const copy = structuredClone(body) as Record<string, unknown>;
  const parent = valueAt(copy, path.slice(0, -1)) as Record<string | number, unknown>;
  const last = path.at(-1) as string | number;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

/** `items[].trial_image` → `['items', 0, 'trial_image']`. */
function pathOf(field: string): Path {
  return field.split('.').flatMap((part) => (part.endsWith('[]') ? [part.slice(0, -2), 0] : [part]));
}

const fieldOf = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? '[]' : `.${part}`))
    .join('')
    .slice(1);

function withThings(body: Body, references: Workflow['references'], things: Things, path: Path = []): Body {
  const replaced = (node: unknown, at: Path): unknown => {
    if (Array.isArray(node)) return node.map((item, index) => replaced(item, [...at, index]));
    if (typeof node === 'object' && node !== null) return withThings({ ...node }, references, things, at);
    return thingAt(references, things, at) ?? node;
  };
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, replaced(value, [...path, name])]),
  );
}

/** References by picture alternate: one names the asset, the next names the job that made the picture. */
function thingAt(references: readonly Reference[], things: Things, path: Path): string | undefined {
  const index = references.findIndex(({ field }) => field === fieldOf(path));
  const reference = references[index];
  switch (reference?.by) {
    case 'storage-key':
      return reference.tells ? (things.renderKey ?? things.uploadKey) : things.uploadKey;
    case 'picture':
      return index % 2 === 0 && !reference.tells ? things.assetId : things.renderId;
    case 'render':
      return things.renderId;
    case 'product':
      return things.productId;
    case 'preset':
      return things.presets[reference.kind];
    case 'category':
      return things.categoryId;
    default:
      return undefined;
  }
}

/** The body with a value at the path, and with everything above that value filled in. */
function completedTo(workflow: string, body: Body, things: Things, path: Path): Body {
  const { references } = workflowOf(workflow);
  let completed = body;
  let schema = bodySchema(workflow);
  for (const [depth, part] of path.entries()) {
    const at = path.slice(0, depth + 1);
    const inside = typeof part === 'number' ? schema.items : schema.properties?.[part];
    // The test itself adds unknown fields.
    if (!inside) break;
    ({ schema } = resolve(inside));
    if (valueAt(completed, at) !== undefined) continue;
    const sample = sampleOf(schema, at, (place) => thingAt(references, things, place));
    completed = withValue(completed, at, sample);
  }
  return completed;
}

/** The smallest value that a schema accepts, except that a list has at least one item. */
function sampleOf(schema: Schema, path: Path, thingFor: (path: Path) => string | undefined): unknown {
  const { type, items, minItems = 0, properties = {}, required = [], minLength = 0, minimum } = schema;
  if (schema.enum) return schema.enum[0];
  switch (type) {
    case 'array':
      return Array.from({ length: Math.max(minItems, 1) }, (_, index) =>
        sampleOf(resolve(items as Schema).schema, [...path, index], thingFor),
      );
    case 'object':
      return Object.fromEntries(
        required.map((name) => [
          name,
          sampleOf(resolve(properties[name] as Schema).schema, [...path, name], thingFor),
        ]),
      );
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return minimum;
    default:
      return thingFor(path) ?? 'x'.repeat(Math.max(minLength, 1));
  }
}
