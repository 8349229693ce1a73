import type { EventStore, RecordedEvent } from '../event-store.js';
import { WordErasure, type ErasedWords } from '../word-erasure.js';
import type { DataKeys } from './data-keys.js';
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
    const left = await this.keys.find(new Set(eventsByKey.keys()));
    let erased = 0;
    let underTenantKey = 0;
    for (const [key, events] of eventsByKey)
      if (left.get(key) === 'destroyed') erased += events;
      else underTenantKey += events;
    return { erased, underTenantKey, plain };
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
