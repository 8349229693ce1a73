import { rotateApiKey } from '#application/key/api-keys.js';
import type { RetireRejection } from '#domain/key/key.js';
import { CliError } from '../cli-error.js';
import { Operator } from '../operator.js';
import { printJson, printProperties } from '../output.js';
import type { OutputOptions } from '../verb.js';
import { findKey } from './find-key.js';
import { signingSecret } from './signing-secret.js';

export interface RotateKeyOptions extends OutputOptions {
  /** Milliseconds. */
  readonly overlap: number;
}

export async function rotateKey(keyId: string, { overlap, json }: RotateKeyOptions): Promise<void> {
  await using operator = Operator.connect();
  const { environment, tenant } = await findKey(operator, keyId);
  const context = operator.context(environment, tenant);
  const rotated = await rotateApiKey(operator.store, context, keyId, overlap);
  if (rotated.kind === 'rejected') throw new CliError(explain(keyId, rotated.rejection));
  const { successor, retiresAt } = rotated;
  await operator.caughtUp(environment, 'keys', successor.position);

  const secret = signingSecret(operator.connections, successor.keyId);
  if (json) {
    printJson({
      ...{ key_id: successor.keyId, key: successor.key, tenant_id: tenant, env: environment },
      ...(secret !== undefined && { signing_secret: secret }),
      replaces: keyId,
      retires_at: retiresAt,
    });
    return;
  }
  printProperties([
    ['key', successor.key],
    ['key id', successor.keyId],
    ['tenant', tenant],
    ['environment', environment],
    ...(secret === undefined ? [] : [['signing secret', secret] as const]),
    ['replaces', `${keyId}, which works until ${retiresAt.toISOString()}`],
    ['', 'The key is shown only now: keep it where only your servers can read it.'],
  ]);
}

function explain(keyId: string, rejection: RetireRejection): string {
  switch (rejection.code) {
    case 'KEY_NOT_FOUND':
      return `there is no key ${keyId}: "atelier keys list --tenant …" shows the ids of keys`;
    case 'KEY_REVOKED':
      return `key ${keyId} is revoked: "atelier keys issue" makes a new one`;
    case 'KEY_ROTATED':
      return `key ${keyId} has a successor already: rotate ${rejection.successorKeyId}, or revoke it`;
    default:
      return rejection satisfies never;
  }
}
