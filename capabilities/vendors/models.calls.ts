import { EngineError } from '@atelier/engine';
import { loadConfiguration } from '#platform/configuration.js';
import { isRemote, type ImageModel, type ModelList } from '#platform/image-models.js';
import { defineCall } from '#operator-calls/call.js';
import { NoInput } from '#operator-calls/input.js';
import { printTable } from '#operator-calls/output.js';

/** The models that this process's environment declares. No running service is needed. */
function modelsHere(): ModelList {
  const unused = { DATABASE_URL: 'postgres://unused', URL_SIGNING_SECRET: 'unused' };
  return loadConfiguration({ ...unused, ...process.env }).imageModels;
}

const price = ({ price_per_picture: each }: ImageModel, { currency }: ModelList): string =>
  each === 0 ? 'free' : `${each} ${currency}`;

export const listImageModels = defineCall({
  name: 'models list',
  route: 'GET /models',
  may: ['read'],
  summary: 'The image models that ATELIER_MODELS_FILE declares, and what they cost',
  input: NoInput,
  run: ({ configuration }) => Promise.resolve(configuration.imageModels),
  here: modelsHere,
  print: (list) =>
    printTable(list.models, {
      id: ({ id }) => id,
      family: ({ family }) => family,
      where: (model) => (isRemote(model) ? (model.endpoint ?? "the vendor's own") : 'this machine'),
      model: ({ model }) => model,
      workflows: ({ workflows }) => workflows?.join(' ') ?? 'all',
      'a picture': (model) => price(model, list),
      'test keys': ({ test_keys: who }) => who,
      fallback: ({ fallback }) => fallback,
    }),
});

/** How long a vendor may take for a check. */
const checkMs = 10_000;

/** The command ends with exit code 1 if one of them cannot be used. */
export const checkImageModels = defineCall({
  name: 'models check',
  route: 'POST /models/check',
  may: ['support'],
  summary: 'Check each vendor, as far as a check costs nothing',
  input: NoInput,
  readOnly: 'silent',
  run: ({ configuration }) => checkAll(configuration.imageModels),
  here: () => checkAll(modelsHere()),
  print: ({ models }) =>
    printTable(models, { model: ({ id }) => id, ok: ({ ok }) => ok, says: ({ says }) => says }),
  failed: ({ models }) => models.some(({ ok }) => !ok),
});

async function checkAll({ models, currency }: ModelList) {
  const { checkModel } = await import('./check-model.js');
  const found = await Promise.all(
    models.map(async (model) => {
      try {
        const says = await checkModel(model, currency, AbortSignal.timeout(checkMs));
        return { id: model.id, ok: true, says };
      } catch (error) {
        return { id: model.id, ok: false, says: problemOf(error) };
      }
    }),
  );
  return { models: found };
}

/** The message of an engine's error is meant for callers, so operators see its class. */
function problemOf(error: unknown): string {
  if (error instanceof EngineError) {
    const why = error.cause instanceof Error ? ` (${error.cause.message})` : '';
    return `cannot be used: ${error.errorClass}${why}`;
  }
  return error instanceof Error ? error.message : String(error);
}
