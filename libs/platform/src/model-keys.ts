import { ConfigurationError, settingOf } from './configuration.js';
import type { DeclaredModel } from './engine-families.js';
import type { ImageModel } from './image-models.js';

/**
 * A model with its key, from the variable that the registry names, or from the file that the one with `_FILE` names.
 * @throws ConfigurationError where the key is not there
 */
export function withKey(model: ImageModel, currency: string): DeclaredModel {
  return { ...model, model: model.model ?? model.id, currency, secret: keyOf(model) };
}

function keyOf({ id, secret_env: name }: ImageModel): string | undefined {
  if (name === undefined) return undefined;
  const secret = settingOf(process.env, name);
  if (secret !== undefined) return secret;
  throw new ConfigurationError(`the image model ${id} needs its key in ${name} or ${name}_FILE`);
}
