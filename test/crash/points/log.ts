import { testProof, testSigningKey } from '../../support/signing-key.js';
import { openEventStore, type OpenedEventStore, type OpenOptions } from '#event-store/open-event-store.js';
import { authenticSnapshots } from '#event-store/snapshots.js';

/**
 * All processes share this key, so each accepts the snapshots of the others. Without a key there are no
 * snapshots.
 */
export const signingKey = testSigningKey;

/** Opens the log and its snapshots as each role of the service does. */
export async function openLog(url: string, options?: OpenOptions): Promise<OpenedEventStore> {
  const opened = await openEventStore(
    { eventStoreUrl: url, databaseUrl: url },
    { proof: testProof, ...options },
  );
  return { ...opened, snapshots: authenticSnapshots(opened.snapshots, signingKey, () => undefined) };
}
