import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Ajv, ErrorObject } from 'ajv';
import type * as yaml from 'yaml';
import { falFields, type ImageModel, type ModelFamily, type ModelList } from './image-models.js';
import { packagePath } from './package-folder.js';

/** Loads packages that only a file of models needs, so that a verb of the command starts quickly. */
const load = createRequire(import.meta.url);

/** The schema that editors can check a registry with. */
export const modelsSchemaPath = (): string => packagePath('assets', 'models.schema.json');

/**
 * The models that a JSON or YAML file declares, with the schema's defaults for omitted members.
 * @returns the models, or the mistakes of the file, as the second halves of sentences
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
  // The schema has checked it, and has filled in its defaults.
  const registry = declared as ModelList;
  const problems = [...namesWithoutModel(registry), ...registry.models.flatMap(cannotWork)];
  if (problems.length > 0) return `names a file with mistakes: ${problems.join('; ')}`;
  return { ...registry, models: registry.models.map(withinFamily) };
}

function mistake({ instancePath, message = 'is wrong', params }: ErrorObject): string {
  const allowed = params['allowedValues'] as readonly unknown[] | undefined;
  const unknown = params['additionalProperty'] as string | undefined;
  const more = allowed ? `: ${allowed.join(', ')}` : unknown === undefined ? '' : `: ${unknown}`;
  return `${instancePath || '/'} ${message}${more}`;
}

/** Checks what a schema cannot: each id occurs once, and each name of a model exists. */
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

interface Endpoint {
  readonly workflows: readonly string[];
  readonly max_inputs: number;
}

const swaps = ['background-swap-with-image', 'background-swap-with-spec'];
/** Each endpoint of FASHN does one thing. */
export const fashnEndpoints: Readonly<Record<string, Endpoint>> = {
  'tryon-v1.6': { workflows: ['try-on'], max_inputs: 2 },
  'tryon-max': { workflows: ['try-on'], max_inputs: 2 },
  'product-to-model': { workflows: ['product-to-model-direct'], max_inputs: 3 },
  'model-swap': { workflows: ['model-swap-with-image'], max_inputs: 2 },
  edit: { workflows: swaps, max_inputs: 2 },
};

/** The shipped graphs of ComfyUI. */
const graphInputs = 3;

/** Limits a model to what its family can make, so that a dispatch refuses what the vendor would refuse. */
function withinFamily(model: ImageModel): ImageModel {
  const atMost = (most: number) => ({ ...model, max_inputs: Math.min(most, model.max_inputs) });
  if (model.family === 'comfyui' && !model.options['graphs']) return atMost(graphInputs);
  const endpoint = model.family === 'fashn' ? fashnEndpoints[model.model ?? ''] : undefined;
  return endpoint ? { workflows: endpoint.workflows, ...atMost(endpoint.max_inputs) } : model;
}

const drawnOnWhite: ReadonlySet<ModelFamily> = new Set(['gemini', 'fashn']);
const readers: ReadonlySet<ModelFamily> = new Set(['openai', 'gemini']);

/** What fits the schema, and would fail at run time. */
function cannotWork(declared: ImageModel, index: number): string[] {
  const { family, model, workflows, transparent, vision_model: reader, options } = declared;
  const problems: string[] = [];
  const mistake = (member: string, says: string) => problems.push(`/models/${index}${member} ${says}`);
  if (family === 'fashn') {
    const endpoint = fashnEndpoints[model ?? ''];
    const made = endpoint?.workflows.join(', ');
    if (!endpoint)
      mistake('/model', `must be an endpoint of FASHN: ${Object.keys(fashnEndpoints).join(', ')}`);
    else if (workflows?.some((name) => !endpoint.workflows.includes(name)))
      mistake('/workflows', `must be left out, or of what ${model} makes: ${made}`);
  }
  if (family === 'fal' && model === undefined) mistake('/model', 'is missing: say what fal calls the model');
  if ((family === 'fal' || family === 'package') && !workflows)
    mistake(
      '/workflows',
      `is missing: list the workflows that this ${family === 'fal' ? 'model of fal' : 'package'} makes`,
    );
  if (family === 'fal') {
    const unknown = Object.keys(options['fields'] ?? {}).filter((name) => !falFields.includes(name));
    if (unknown.length > 0)
      mistake('/options/fields', `knows ${falFields.join(', ')}, and not ${unknown.join(', ')}`);
  }
  if (transparent && drawnOnWhite.has(family)) mistake('/transparent', `must be false: ${family} draws none`);
  if (reader !== undefined && !readers.has(family))
    mistake('/vision_model', `must be left out: ${family} reads no photographs`);
  return problems;
}
