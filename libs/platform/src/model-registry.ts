import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Ajv, ErrorObject } from 'ajv';
import type * as yaml from 'yaml';
import type { ModelList } from './image-models.js';
import { packagePath } from './package-folder.js';

/** For what is only needed where there is a file: a verb of the command must start quickly. */
const load = createRequire(import.meta.url);

/** The schema that editors can check a registry with. */
export const modelsSchemaPath = (): string => packagePath('assets', 'models.schema.json');

/**
 * The models that a file declares, as JSON or YAML, with the schema's defaults in the place of what it leaves out.
 * @returns the models, or in sentences' second halves what is wrong with the file
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
  const validator = new Validator({ allErrors: true, useDefaults: true });
  const valid = validator.compile(JSON.parse(readFileSync(modelsSchemaPath(), 'utf8')) as object);
  if (!valid(declared)) return `names a file with mistakes: ${(valid.errors ?? []).map(mistake).join('; ')}`;
  // The schema has just said so, and has filled in what it has defaults for.
  const registry = declared as ModelList;
  const problems = namesWithoutModel(registry);
  return problems.length > 0 ? `names a file with mistakes: ${problems.join('; ')}` : registry;
}

function mistake({ instancePath, message = 'is wrong', params }: ErrorObject): string {
  const allowed = params['allowedValues'] as readonly unknown[] | undefined;
  const unknown = params['additionalProperty'] as string | undefined;
  const more = allowed ? `: ${allowed.join(', ')}` : unknown === undefined ? '' : `: ${unknown}`;
  return `${instancePath || '/'} ${message}${more}`;
}

/** What a schema cannot say: ids are there once, and names of models name one. */
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
  return [...problems, ...unknown.map(([where, id]) => `${where} names the model ${id}, which is not there`)];
}
