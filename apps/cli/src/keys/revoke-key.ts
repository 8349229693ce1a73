import { findApiKey, revokeApiKey } from '#application/key/api-keys.js';
import { environments } from '#domain/streams.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { printJson, printLine } from '../output.js';
import type { OutputOptions } from '../verb.js';

export async function revokeKey(
  keyId: string,
  { reason, json }: OutputOptions & { reason: string },
): Promise<void> {
  await using operator = Operator.connect();
  for (const environment of environments) {
    const found = await findApiKey(operator.store, environment, keyId);
    if (!found) continue;
    const { tenant } = found.key;
    const revoked = await revokeApiKey(operator.store, operator.context(environment, tenant), keyId, reason);
    if (revoked.kind === 'accepted') await operator.caughtUp(environment, 'keys', revoked.position);
    if (json) printJson({ key_id: keyId, tenant_id: tenant, env: environment, status: 'revoked' });
    else printLine(`Key ${keyId} of ${tenant} in ${environment} is revoked.`);
    return;
  }
  throw new CliError(`there is no key ${keyId}: "atelier keys list --tenant …" shows the ids of keys`);
}
