import { readFileSync } from 'node:fs';

/** A schema of openapi.json, as far as request bodies use it. */
export interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly description?: string;
  readonly example?: unknown;
}

interface Operation {
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        { schema: Schema; examples?: Readonly<Record<string, { value: Record<string, unknown> }>> }
      >
    >;
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const openApi = JSON.parse(readFileSync('openapi.json', 'utf8')) as Document;

/** Follows references. Returns the schema itself, and whether null may stand in its place. */
export function resolve(schema: Schema): { readonly schema: Schema; readonly nullable: boolean } {
  if (schema.anyOf) {
    const rest = schema.anyOf.filter(({ type }) => type !== 'null');
    const [only] = rest;
    if (!only || rest.length > 1) throw new Error(`a choice of several: ${JSON.stringify(schema)}`);
    return { schema: resolve(only).schema, nullable: rest.length < schema.anyOf.length };
  }
  if (schema.$ref) {
    const target = openApi.components.schemas[schema.$ref.replace('#/components/schemas/', '')];
    if (!target) throw new Error(`${schema.$ref} leads nowhere`);
    return resolve(target);
  }
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const type = types.find((each) => each !== 'null');
  if (type === undefined) throw new Error(`a schema without a type: ${JSON.stringify(schema)}`);
  return { schema: { ...schema, type }, nullable: types.includes('null') };
}

/** The body of `POST /v1/{workflow}`. */
export function bodySchema(workflow: string): Schema {
  const schema = openApi.paths[`/v1/${workflow}`]?.['post']?.requestBody?.content['application/json']?.schema;
  if (!schema) throw new Error(`openapi.json does not describe the body of ${workflow}`);
  return resolve(schema).schema;
}

/** A body of the examples of its fields, for a route that is no workflow. */
export function exampleOf(path: string): Readonly<Record<string, unknown>> {
  const { post, patch, put } = openApi.paths[path] ?? {};
  const content = (post ?? patch ?? put)?.requestBody?.content['application/json'];
  if (!content) throw new Error(`openapi.json does not describe the body of ${path}`);
  const fields = Object.entries(resolve(content.schema).schema.properties ?? {});
  const examples = fields.map(([name, field]) => [name, resolve(field).schema.example] as const);
  return Object.fromEntries(examples.filter(([, example]) => example !== undefined));
}

export function bodyExamples(workflow: string): Readonly<Record<string, { value: Record<string, unknown> }>> {
  return openApi.paths[`/v1/${workflow}`]?.['post']?.requestBody?.content['application/json']?.examples ?? {};
}

/** The path of every field of a body (`items[].trial_image`), including the fields of nested objects. */
export function fieldsOf(schema: Schema, prefix = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    `${prefix}${name}`,
    ...nestedFields(property, `${prefix}${name}`),
  ]);
}

function nestedFields(schema: Schema, path: string): string[] {
  const { schema: resolved } = resolve(schema);
  if (resolved.items) return [`${path}[]`, ...nestedFields(resolved.items, `${path}[]`)];
  return fieldsOf(resolved, `${path}.`);
}
