import { signingSecretOf } from '#application/key/signing-secret.js';
import { CliError } from '../cli-error.js';
import type { Connections } from '../connections.js';
import { Operator } from '../operator.js';
import { printJson, printProperties } from '../output.js';
import type { OutputOptions } from '../verb.js';
import { findKey } from './find-key.js';

/** The signing secret of a key; undefined where the installation has no signing key. */
export function signingSecret({ signingKey }: Connections, keyId: string): string | undefined {
  return signingKey === undefined ? undefined : signingSecretOf(signingKey, keyId);
}

/** @throws CliError where the installation has no signing key */
export function requireSigningSecret(connections: Connections, keyId: string): string {
  const secret = signingSecret(connections, keyId);
  if (secret !== undefined) return secret;
  throw new CliError('no request can be signed here: set ATELIER_SIGNING_KEY, for the API as well');
}

export async function showSigningSecret(keyId: string, { json }: OutputOptions): Promise<void> {
  await using operator = Operator.connect();
  const { environment, tenant } = await findKey(operator, keyId);
  const secret = requireSigningSecret(operator.connections, keyId);
  if (json) printJson({ key_id: keyId, tenant_id: tenant, env: environment, signing_secret: secret });
  else
    printProperties([
      ['signing secret', secret],
      ['', 'X-Atelier-Hmac-Sha256 is base64 of the HMAC-SHA256 of the raw body with this text as the key.'],
    ]);
}
