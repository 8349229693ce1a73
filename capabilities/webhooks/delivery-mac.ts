import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Environment } from '#domain/streams.js';
import type { Configuration } from '#platform/configuration.js';
import type { Delivery, NewDelivery } from './deliveries.js';

type Provable = Pick<NewDelivery, 'deliveryId' | 'tenant' | 'endpointId' | 'type' | 'body'>;

/**
 * The proof of a queued delivery. The delivery waits in a table that the database's owner can change, and is
 * signed with the tenant's secret only when it is sent.
 */
export function deliveryMac(signingKey: string, environment: Environment, delivery: Provable): string {
  return macOf(signingKey, environment, delivery).toString('base64url');
}

export type MacSettings = Pick<Configuration, 'signingKey' | 'acceptedSigningKeys' | 'unprovenEvents'>;

/** Why a delivery is not one that this service has queued; undefined if it is. */
export function complaintAboutDelivery(
  { signingKey, acceptedSigningKeys, unprovenEvents }: MacSettings,
  environment: Environment,
  delivery: Delivery,
): string | undefined {
  if (delivery.mac === null)
    return unprovenEvents === 'accept'
      ? undefined
      : 'it was not sent: nothing proves that this service has queued it';
  const given = Buffer.from(delivery.mac, 'base64url');
  const keys = [...(signingKey === undefined ? [] : [signingKey]), ...acceptedSigningKeys];
  const isProven = keys.some((key) => {
    const expected = macOf(key, environment, delivery);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isProven
    ? undefined
    : 'it was not sent: it was altered in the database after this service had queued it';
}

function macOf(
  signingKey: string,
  environment: Environment,
  { deliveryId, tenant, endpointId, type, body }: Provable,
): Buffer {
  const key = Buffer.from(hkdfSync('sha256', signingKey, '', 'atelier webhook delivery', 32));
  return createHmac('sha256', key)
    .update(JSON.stringify([environment, deliveryId, tenant, endpointId, type, body]))
    .digest();
}
