import { ConfigurationError, settingOf } from './configuration.js';
import type { DeclaredModel } from './engine-families.js';
import type { ImageModel } from './image-models.js';

/**
 * A model with its key. The key comes from the variable that the registry names, or from the file that the
 * variable with `_FILE` names.
 * @throws ConfigurationError if there is no key
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
