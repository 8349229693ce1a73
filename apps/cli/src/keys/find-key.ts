import { findApiKey } from '#application/key/api-keys.js';
import { environments, type Environment } from '#domain/streams.js';
import { CliError } from '../cli-error.js';
import type { Operator } from '../operator.js';

export interface FoundKey {
  readonly environment: Environment;
  readonly tenant: string;
  readonly label: string;
}

/** The key with this id, in whichever environment it is. @throws CliError when there is none */
export async function findKey(operator: Operator, keyId: string): Promise<FoundKey> {
  for (const environment of environments) {
    const found = await findApiKey(operator.store, environment, keyId);
    if (found) return { environment, tenant: found.key.tenant, label: found.key.label };
  }
  throw new CliError(`there is no key ${keyId}: "atelier keys list --tenant …" shows the ids of keys`);
}
