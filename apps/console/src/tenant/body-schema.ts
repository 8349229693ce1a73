import { schemas, workflows } from 'virtual:workflows';
import type { WorkflowName } from '@atelier/client';

/** A schema of openapi.json, as far as bodies of workflows use it. */
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

/** The schema itself, where it stands for another one, or beside null. What is said at the place goes first. */
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

/** Without what was left empty: an absent field is what callers send who do not know it. */
export function pruned(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(pruned).filter((each) => each !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (!isObject(value)) return value === '' ? undefined : value;
  const fields = Object.entries(value).map(([name, each]) => [name, pruned(each)] as const);
  return Object.fromEntries(fields.filter(([, each]) => each !== undefined));
}

/** Whether all is there that the schema requires: before that, asking what it costs is only told what is missing. */
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

/** What is of use in most workflows and asked for in none: it stands behind the rest. */
const usual = new Set(
  workflows
    .flatMap(({ schema }) => Object.keys(resolved(schema).properties ?? {}))
    .filter((name, _at, all) => all.filter((each) => each === name).length >= workflows.length / 3),
);

/** The fields of a body: those that make this workflow, and those that most workflows have. */
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

/** `user_image` in words: what kind of id it is says the field itself. */
export function titleOf(name: string): string {
  const words = name.replace(/(_image)?(_asset_refs|_public_id|_s3_key)$|_id$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
