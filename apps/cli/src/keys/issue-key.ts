import { issueApiKey } from '#application/key/api-keys.js';
import type { Capability } from '#domain/key/key.events.js';
import type { Environment } from '#domain/streams.js';
import { Operator } from '../operator.js';
import { printJson, printProperties } from '../output.js';
import type { OutputOptions } from '../verb.js';

export interface IssueKeyOptions extends OutputOptions {
  readonly tenant: string;
  readonly env: Environment;
  readonly capabilities: readonly Capability[];
  readonly label: string;
}

export async function issueKey({ tenant, env, capabilities, label, json }: IssueKeyOptions): Promise<void> {
  await using operator = Operator.connect();
  await operator.account(env, tenant);
  const issued = await issueApiKey(operator.store, operator.context(env, tenant), { capabilities, label });
  await operator.caughtUp(env, 'keys', issued.position);

  const { keyId, key } = issued;
  if (json) printJson({ key_id: keyId, key, tenant_id: tenant, env, capabilities, label });
  else
    printProperties([
      ['key', key],
      ['key id', keyId],
      ['tenant', tenant],
      ['environment', env],
      ['capabilities', capabilities.join(', ')],
      ['', 'The key is shown only now: keep it where only your servers can read it.'],
    ]);
}
