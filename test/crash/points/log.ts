import { testKeys, testSigningKey } from '../../support/signing-key.js';
import { openEventStore, type OpenedEventStore, type OpenOptions } from '#event-store/open-event-store.js';
import { authenticSnapshots } from '#event-store/snapshots.js';

/**
 * Opens the log and its snapshots as each role of the service does. All processes share the key, so each accepts
 * the snapshots of the others.
 */
export async function openLog(url: string, options?: OpenOptions): Promise<OpenedEventStore> {
  const opened = await openEventStore({ eventStoreUrl: url, databaseUrl: url }, { ...testKeys, ...options });
  return { ...opened, snapshots: authenticSnapshots(opened.snapshots, testSigningKey, () => undefined) };
}
