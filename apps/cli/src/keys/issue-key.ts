import { issueApiKey } from '#application/key/api-keys.js';
import type { Capability } from '#domain/key/key.events.js';
import type { Environment } from '#domain/streams.js';
import { Operator } from '../operator.js';
import { printJson, printProperties } from '../output.js';
import type { OutputOptions } from '../verb.js';
import { requireSigningSecret, signingSecret } from './signing-secret.js';

export interface IssueKeyOptions extends OutputOptions {
  readonly tenant: string;
  readonly env: Environment;
  readonly capabilities: readonly Capability[];
  readonly label: string;
  readonly requireSignature?: boolean;
}

export async function issueKey(options: IssueKeyOptions): Promise<void> {
  const { tenant, env, capabilities, label, requireSignature = false, json } = options;
  await using operator = Operator.connect();
  await operator.account(env, tenant);
  // Before a key is made that nobody could use.
  if (requireSignature) requireSigningSecret(operator.connections, tenant);
  const grant = { capabilities, label, requiresSignature: requireSignature };
  const issued = await issueApiKey(operator.store, operator.context(env, tenant), grant);
  await operator.caughtUp(env, 'keys', issued.position);

  const { keyId, key } = issued;
  const secret = signingSecret(operator.connections, keyId);
  if (json) {
    printJson({
      ...{ key_id: keyId, key, tenant_id: tenant, env, capabilities, label },
      requires_signature: requireSignature,
      ...(secret !== undefined && { signing_secret: secret }),
    });
    return;
  }
  printProperties([
    ['key', key],
    ['key id', keyId],
    ['tenant', tenant],
    ['environment', env],
    ['capabilities', capabilities.join(', ')],
    ...(secret === undefined ? [] : [['signing secret', secret] as const]),
    ['requests', requireSignature ? 'must be signed' : 'may be signed'],
    ['', 'The key is shown only now: keep it where only your servers can read it.'],
  ]);
}
