import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, SchemaObject } from 'ajv';
import type * as yaml from 'yaml';
import { engineFamilies } from './engine-families.js';
import { isRemote, type ImageModel, type ModelList } from './image-models.js';
import { packagePath } from './package-folder.js';

/** Loads packages only when there is a file of models, so that a verb of the command starts quickly. */
const load = createRequire(import.meta.url);

/** The capability that declares each family, even if it is not installed. */
type CapabilitiesOfFamilies = Readonly<Record<string, string>>;

/** The schema that editors can check a registry with. */
export const modelsSchemaPath = (): string => packagePath('assets', 'models.schema.json');

/**
 * The models that a JSON or YAML file declares, with the schema's defaults for omitted members.
 * @returns the models, or the mistakes in the file, as the second halves of sentences
 */
export function readModelRegistry(path: string): ModelList | string {
  let declared: unknown;
  try {
    // JSON is YAML.
    const { parse } = load('yaml') as typeof yaml;
    declared = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return `names a file that cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  const { default: Validator } = load('ajv') as { default: typeof Ajv };
  const schema = JSON.parse(readFileSync(modelsSchemaPath(), 'utf8')) as SchemaObject;
  const validator = new Validator({ allErrors: true, useDefaults: true, keywords: ['x-capabilities'] });
  const valid = validator.compile(schema);
  if (!valid(declared)) return `names a file with mistakes: ${(valid.errors ?? []).map(mistake).join('; ')}`;
  // The schema has checked it, and has filled in its defaults.
  const registry = declared as ModelList;
  // `scripts/generated.mjs` writes this part of the schema.
  const { family } = schema['definitions'].model.properties;
  const capabilities = family['x-capabilities'] as CapabilitiesOfFamilies;
  const problems = [
    ...namesWithoutModel(registry),
    ...registry.models.flatMap((model, index) => cannotWork(model, index, capabilities)),
  ];
  if (problems.length > 0) return `names a file with mistakes: ${problems.join('; ')}`;
  const models = registry.models.map((model) => engineFamilies[model.family]?.within?.(model) ?? model);
  return { ...registry, models };
}

function mistake({ instancePath, message = 'is wrong', params }: ErrorObject): string {
  const allowed = params['allowedValues'] as readonly unknown[] | undefined;
  const unknown = params['additionalProperty'] as string | undefined;
  const more = allowed ? `: ${allowed.join(', ')}` : unknown === undefined ? '' : `: ${unknown}`;
  return `${instancePath || '/'} ${message}${more}`;
}

/** Checks what a schema cannot check: each id occurs once, and each named model exists. */
function namesWithoutModel({ models, workflow_models, tenant_models }: ModelList): string[] {
  const ids = models.map(({ id }) => id);
  const problems = ids.flatMap((id, index) =>
    ids.indexOf(id) < index ? [`/models/${index} repeats the id ${id}`] : [],
  );
  const named = [
    ...models.flatMap(({ fallback }, index) =>
      fallback === undefined ? [] : [[`/models/${index}/fallback`, fallback]],
    ),
    ...Object.entries(workflow_models).map(([workflow, id]) => [`/workflow_models/${workflow}`, id]),
    ...Object.entries(tenant_models).map(([tenant, id]) => [`/tenant_models/${tenant}`, id]),
  ];
  const unknown = named.filter(([, id]) => !ids.some((each) => each === id));
  return [
    ...problems,
    ...unknown.map(([where, id]) => `${where} names the model ${id}, which does not exist`),
  ];
}

/** Finds mistakes that fit the schema but would fail at run time. */
function cannotWork(model: ImageModel, index: number, capabilities: CapabilitiesOfFamilies): string[] {
  const { family: name, transparent, vision_model: reader } = model;
  const family = engineFamilies[name];
  if (isRemote(model) && !family)
    return [
      `/models/${index}/family is ${name}, which needs the capability ${capabilities[name]}: it is not installed`,
    ];
  const problems = [...(family?.mistakes?.(model) ?? [])];
  if (transparent && family && !family.transparent)
    problems.push(['/transparent', `must be false: ${name} draws none`]);
  if (reader !== undefined && !family?.reads)
    problems.push(['/vision_model', `must be left out: ${name} reads no photographs`]);
  return problems.map(([member, says]) => `/models/${index}${member} ${says}`);
}
