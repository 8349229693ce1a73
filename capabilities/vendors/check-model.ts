import { engineFamilies } from '#platform/engine-families.js';
import { isRemote, type ImageModel } from '#platform/image-models.js';
import { withKey } from '#platform/model-keys.js';

/**
 * Checks a model with the requests that cost nothing.
 * @returns a line for people
 * @throws an Error that says what is wrong
 */
export async function checkModel(model: ImageModel, currency: string, signal: AbortSignal): Promise<string> {
  if (!isRemote(model)) return 'draws on this machine';
  const declared = withKey(model, currency);
  // The reader of the registry has already refused families that are not installed.
  const maker = await engineFamilies[model.family]?.load();
  return maker ? maker.check(declared, signal) : `${model.family} is not installed`;
}
