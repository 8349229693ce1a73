import type { Environment } from '#domain/streams.js';
import { namedKey } from '#event-store/named-key.js';
import { decrypt, encrypt } from '#platform/aes-gcm.js';
import type { Configuration } from '#platform/configuration.js';
import type { BucketTerms } from './bucket.events.js';

const keyOf = (signingKey: string) => namedKey(signingKey, 'atelier bucket secret').key;

/** A secret opens only for the tenant and the place that it was given for. */
type Place = Pick<BucketTerms, 'endpoint' | 'bucket' | 'accessKeyId'>;
const boundTo = (environment: Environment, tenant: string, { endpoint, bucket, accessKeyId }: Place) =>
  JSON.stringify([environment, tenant, endpoint, bucket, accessKeyId]);

/** Encrypts the secret key of a bucket for the log, under a key that derives from the installation's signing key. */
export function sealSecret(
  signingKey: string,
  environment: Environment,
  tenant: string,
  place: Place,
  secret: string,
): string {
  return encrypt(keyOf(signingKey), secret, boundTo(environment, tenant, place)).toString('base64url');
}

/** Undefined: it was sealed with a signing key that this process does not have, or erased with its tenant. */
export function openSecret(
  { signingKey, acceptedSigningKeys }: Pick<Configuration, 'signingKey' | 'acceptedSigningKeys'>,
  environment: Environment,
  tenant: string,
  place: Place & { readonly sealedSecret: string },
): string | undefined {
  const bytes = Buffer.from(place.sealedSecret, 'base64url');
  for (const key of [...(signingKey === undefined ? [] : [signingKey]), ...acceptedSigningKeys]) {
    try {
      return decrypt(keyOf(key), bytes, boundTo(environment, tenant, place)).toString('utf8');
    } catch {
      // Another key may have sealed it.
    }
  }
  return undefined;
}
