import { eventId, newId } from '#platform/ids.js';
import type { EventStore } from '../event-store.js';
import { readChainEnd, sealDigest, sealStream, sourceSealed } from './seal.js';

/**
 * Leaves the last seal of the source in the target's chain, where the next seal will name it: whoever kept that one
 * can tell where the copy came from.
 * @throws what the stores throw
 */
export async function nameSourceSeal(source: EventStore, target: EventStore): Promise<void> {
  const { seal } = await readChainEnd(source);
  if (!seal) return;
  const digest = sealDigest(seal);
  for (;;) {
    const end = await readChainEnd(target);
    const named = end.source ? sealDigest(end.source) : end.seal?.source;
    if (named === digest) return;
    const requestId = newId();
    const metadata = {
      ...{ requestId, causationId: requestId, tenant: 'installation', actor: 'operator' },
      ...{ schemaVersion: 1, recordedAt: new Date().toISOString() },
    };
    const id = eventId(`${digest} after ${end.revision}`, 0);
    const event = { id, type: sourceSealed, data: seal, metadata };
    const { outcome } = await target.append(sealStream, end.revision, [event]);
    if (outcome === 'appended') return;
    // A sealer works on the target: it goes on behind this one.
  }
}
