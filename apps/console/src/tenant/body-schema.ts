import { schemas, workflows } from 'virtual:workflows';
import type { WorkflowName } from '@atelier/client';

/** A schema of openapi.json, with the parts that bodies of workflows use. */
export interface BodySchema {
  readonly $ref?: string;
  readonly anyOf?: readonly BodySchema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly required?: readonly string[];
  readonly items?: BodySchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly example?: unknown;
  /** An uploaded picture, or one that a job made. */
  readonly 'x-picture'?: boolean;
  /** The list of the API that has what it can name. */
  readonly 'x-choices'?: string;
}

export interface DescribedWorkflow {
  readonly name: WorkflowName;
  readonly summary: string;
  readonly schema: BodySchema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: OrderBody }>>;
}

export type OrderBody = Readonly<Record<string, unknown>>;

export const findWorkflow = (name: string | undefined) => workflows.find((each) => each.name === name);

/** Resolves a reference, or a schema that allows null. Members beside the reference take precedence. */
export function resolved(schema: BodySchema): BodySchema {
  const { $ref, anyOf, ...rest } = schema;
  if ($ref !== undefined) return { ...schemas[$ref.replace('#/components/schemas/', '')], ...rest };
  const [first] = anyOf ?? [];
  return first ? { ...resolved(first), ...rest } : schema;
}

export type FieldKind =
  'picture' | 'choices' | 'enum' | 'boolean' | 'number' | 'text' | 'list' | 'object' | 'json';

export function kindOf(schema: BodySchema): FieldKind {
  if (schema['x-picture']) return 'picture';
  if (schema['x-choices'] !== undefined) return 'choices';
  if (schema.enum) return 'enum';
  const [type] = [schema.type ?? 'object'].flat();
  if (type === 'array') return 'list';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'object') return schema.properties ? 'object' : 'json';
  return type === 'boolean' ? 'boolean' : 'text';
}

const isObject = (value: unknown): value is OrderBody =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Removes empty fields, because callers that do not know a field leave it out as well. */
export function pruned(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(pruned).filter((each) => each !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (!isObject(value)) return value === '' ? undefined : value;
  const fields = Object.entries(value).map(([name, each]) => [name, pruned(each)] as const);
  return Object.fromEntries(fields.filter(([, each]) => each !== undefined));
}

/** Whether all required fields are filled in. Before that, a dry run only reports the missing ones. */
export function isComplete(given: BodySchema, value: unknown): boolean {
  const schema = resolved(given);
  if (value === undefined) return false;
  if (Array.isArray(value)) {
    const { items, minItems = 0 } = schema;
    return value.length >= minItems && (!items || value.every((each) => isComplete(items, each)));
  }
  if (!isObject(value) || !schema.properties) return true;
  const isThere = schema.required?.every((name) => value[name] !== undefined) ?? true;
  const parts = Object.entries(schema.properties).filter(([name]) => value[name] !== undefined);
  return isThere && parts.every(([name, part]) => isComplete(part, value[name]));
}

/** Fields of most workflows that none requires: they come last. */
const usual = new Set(
  workflows
    .flatMap(({ schema }) => Object.keys(resolved(schema).properties ?? {}))
    .filter((name, _at, all) => all.filter((each) => each === name).length >= workflows.length / 3),
);

/** The fields of a body: first those of this workflow, then those that most workflows have. */
export function formFieldsOf(given: BodySchema): {
  own: [string, BodySchema][];
  common: [string, BodySchema][];
} {
  const { properties = {}, required = [] } = resolved(given);
  const own = Object.entries(properties).filter(([name]) => required.includes(name) || !usual.has(name));
  const common = Object.entries(properties).filter(([name]) => !own.some(([each]) => each === name));
  return { own: neededFirst(own, required), common };
}

export function neededFirst(
  fields: [string, BodySchema][],
  required: readonly string[] = [],
): [string, BodySchema][] {
  const rank = ([name]: [string, BodySchema]) => (required.includes(name) ? 0 : 1);
  return fields.toSorted((one, other) => rank(one) - rank(other));
}

/** `user_image` in words: the field itself shows the kind of id. */
export function titleOf(name: string): string {
  const words = name.replace(/(_image)?(_asset_refs|_public_id|_s3_key)$|_id$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
