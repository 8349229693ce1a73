import type { EventStore, RecordedEvent } from '../event-store.js';
import { WordErasure, type ErasedWords } from '../word-erasure.js';
import type { KeyOwner } from './data-key-store.js';
import type { DataKeys } from './data-keys.js';
import { keyPlace } from './key-row.js';
import { partWords } from './personal-words.js';
import { masterKeyMissing, sealedPartOf } from './sealed-store.js';

/** Events of one page. */
const pageSize = 1024;

/** Erases words in the log by destroying keys in the key store. */
export class StreamWordErasure extends WordErasure {
  /**
   * @param store below the encryption and above the check of MACs: an event that this service did not write could name
   *   a key of another stream
   * @param keys undefined: this process has no master key
   */
  constructor(
    private readonly store: EventStore,
    private readonly keys: DataKeys | undefined,
  ) {
    super();
  }

  async eraseWords(streams: readonly string[]): Promise<ErasedWords> {
    const eventsByKey = new Map<string, number>();
    let plain = 0;
    for (const stream of new Set(streams))
      for await (const event of this.eventsOf(stream)) {
        const key = sealedPartOf(event)?.key;
        if (key !== undefined) eventsByKey.set(key, (eventsByKey.get(key) ?? 0) + 1);
        else if (partWords(event.type, event.data)) plain += 1;
      }
    if (eventsByKey.size === 0) return { erased: 0, underTenantKey: 0, plain };
    if (!this.keys) throw masterKeyMissing();
    await this.keys.destroyOnSheets(eventsByKey.keys());
    this.keys.forget(streams);
    // The keys of sheets are destroyed now. A key of a tenant may have been destroyed with its tenant.
    const ofTenants = await this.keys.find(new Set([...eventsByKey.keys()].filter(isOfTenant)));
    let erased = 0;
    let underTenantKey = 0;
    for (const [key, events] of eventsByKey)
      if (isOfTenant(key) && ofTenants.get(key) !== 'destroyed') underTenantKey += events;
      else erased += events;
    return { erased, underTenantKey, plain };
  }

  async eraseTenant(owner: KeyOwner): Promise<void> {
    // A process without a master key cannot read a tenant whose words are encrypted, so this one has none.
    await this.keys?.destroy(owner);
  }

  private async *eventsOf(stream: string): AsyncGenerator<RecordedEvent> {
    for (let from = 0n; ;) {
      const slice = await this.store.readStream(stream, { from, limit: pageSize, unprovenToo: true });
      const events = slice.kind === 'found' ? slice.events : [];
      for (const event of events) if (event.unproven === undefined) yield event;
      if (events.length < pageSize) return;
      from += BigInt(events.length);
    }
  }
}

const isOfTenant = (key: string) => keyPlace(key).index === undefined;
