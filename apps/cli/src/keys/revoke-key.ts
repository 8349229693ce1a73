import { revokeApiKey } from '#application/key/api-keys.js';
import { Operator } from '../operator.js';
import { printJson, printLine } from '../output.js';
import type { OutputOptions } from '../verb.js';
import { findKey } from './find-key.js';

export async function revokeKey(
  keyId: string,
  { reason, json }: OutputOptions & { reason: string },
): Promise<void> {
  await using operator = Operator.connect();
  const { environment, tenant } = await findKey(operator, keyId);
  const revoked = await revokeApiKey(operator.store, operator.context(environment, tenant), keyId, reason);
  if (revoked.kind === 'accepted') await operator.caughtUp(environment, 'keys', revoked.position);
  if (json) printJson({ key_id: keyId, tenant_id: tenant, env: environment, status: 'revoked' });
  else printLine(`Key ${keyId} of ${tenant} in ${environment} is revoked.`);
}
