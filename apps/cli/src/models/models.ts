import { loadConfiguration } from '#platform/configuration.js';
import { isRemote, type ImageModel, type ModelList } from '#platform/image-models.js';
import { printJson, printTable } from '../output.js';
import type { OutputOptions } from '../verb.js';

/** What this process's environment declares: it takes no running service. */
function modelsHere(): ModelList {
  const unused = { DATABASE_URL: 'postgres://unused', URL_SIGNING_SECRET: 'unused' };
  return loadConfiguration({ ...unused, ...process.env }).imageModels;
}

const price = ({ price_per_picture: each }: ImageModel, { currency }: ModelList): string =>
  each === 0 ? 'free' : `${each} ${currency}`;

export async function listModels({ json }: OutputOptions): Promise<void> {
  const list = modelsHere();
  if (json) return printJson(list);
  printTable(list.models, {
    id: ({ id }) => id,
    family: ({ family }) => family,
    where: (model) => (isRemote(model) ? (model.endpoint ?? "the vendor's own") : 'this machine'),
    model: ({ model }) => model,
    workflows: ({ workflows }) => workflows?.join(' ') ?? 'all',
    'a picture': (model) => price(model, list),
    'test keys': ({ test_keys: who }) => who,
    fallback: ({ fallback }) => fallback,
  });
}
