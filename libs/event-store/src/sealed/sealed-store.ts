import { retryUntilAborted } from '#platform/retry.js';
import { pauses } from '../calls.js';
import {
  EventStoreRefused,
  EventStoreUnavailable,
  passes,
  storeWith,
  type EventStore,
  type NewEvent,
  type RecordedEvent,
  type SealedWords as StoredWords,
  type StreamWrite,
} from '../event-store.js';
import { ownEvents } from '../own-events.js';
import { decrypt, encrypt } from '#platform/aes-gcm.js';
import type { KeyOwner } from './data-key-store.js';
import type { DataKeys } from './data-keys.js';
import type { DataKey } from './key-row.js';
import { WordsUnreadable } from './key-rows.js';
import { joinWords, partWords, type Parted, type Words } from './personal-words.js';

/**
 * The same store, but the personal words of events are stored encrypted under a key of their stream or tenant. Callers see plain
 * words, or values that mean "erased" once the key was destroyed. Put it above the check of MACs, which cover what is
 * stored, and below the shared subscriptions, so that a process decrypts each event once.
 * @param keys undefined: this process has no master key. Then it writes words as they are, and fails to read encrypted
 *   ones.
 */
export function withSealedWords(store: EventStore, keys: DataKeys | undefined): EventStore {
  const words = new SealedWords(keys);
  const { appendTogether } = store;
  const seal = (writes: readonly StreamWrite[]) => words.sealed(writes) ?? words.sealedWithNewKeys(writes);
  return storeWith(store, {
    async append(stream, expectedRevision, events) {
      const sealed = seal([{ stream, expectedRevision, events }]);
      // Usually at once: a key is in memory.
      const [write] = sealed instanceof Promise ? await sealed : sealed;
      return store.append(stream, expectedRevision, write?.events ?? events);
    },
    ...(appendTogether && {
      async appendTogether(writes) {
        const sealed = seal(writes);
        return appendTogether.call(store, sealed instanceof Promise ? await sealed : sealed);
      },
    }),
    async readStream(stream, options) {
      const slice = await store.readStream(stream, options);
      return slice.kind === 'found' ? { kind: 'found', events: await words.opened(slice.events) } : slice;
    },
    readAll: async (options) => words.opened(await store.readAll(options)),
    async *subscribe(options) {
      for await (const batch of store.subscribe(options)) {
        const events = await words.openedOnceThere(batch.events, options.signal);
        if (!events) return;
        yield { ...batch, events };
      }
    },
  });
}

const isOurs = passes(ownEvents);

/** The encrypted words of an event. An event that this service did not write has none. */
export function sealedPartOf(event: RecordedEvent): StoredWords | undefined {
  // The metadata of another writer's event may be anything.
  const sealed = (event.metadata as RecordedEvent['metadata'] | null)?.sealed;
  return sealed && event.unproven === undefined && isOurs(event) ? sealed : undefined;
}

export const masterKeyMissing = () =>
  new WordsUnreadable(
    'the log holds encrypted words, and ATELIER_MASTER_KEY is not set: set it to the key of the service (docs/privacy.md)',
  );

class SealedWords {
  constructor(private readonly keys: DataKeys | undefined) {}

  /** Undefined: a key is not in memory. */
  sealed(writes: readonly StreamWrite[]): readonly StreamWrite[] | undefined {
    const sealed: StreamWrite[] = [];
    for (const write of writes) {
      const events = this.sealedEvents(write);
      if (!events) return undefined;
      sealed.push({ ...write, events });
    }
    return sealed;
  }

  async sealedWithNewKeys(writes: readonly StreamWrite[]): Promise<readonly StreamWrite[]> {
    for (;;) {
      for (const write of writes)
        for (const event of write.events)
          if (partWords(event.type, event.data))
            await this.keys?.prepare(write, ownerOf(write.stream, event));
      // Again only if a key left the memory meanwhile.
      const sealed = this.sealed(writes);
      if (sealed) return sealed;
    }
  }

  private sealedEvents(write: StreamWrite): readonly NewEvent[] | undefined {
    const { stream, events } = write;
    const sealed: NewEvent[] = [];
    for (const event of events) {
      const bare = withoutSealed(event);
      const parted = this.keys && partWords(event.type, event.data);
      if (!this.keys || !parted) {
        sealed.push(bare);
        continue;
      }
      const found = this.keys.inMemory(write, ownerOf(stream, event));
      if (!found) return undefined;
      sealed.push(sealedUnder(found, stream, bare, parted));
    }
    return sealed;
  }

  opened(events: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> {
    return openWords(events, this.keys);
  }

  /** A subscription outlives a key store that is away, as it outlives its own store. Undefined: it was aborted. */
  async openedOnceThere(events: readonly RecordedEvent[], signal: AbortSignal) {
    try {
      return await this.opened(events);
    } catch (error) {
      if (!mayPass(error)) throw error;
      return retryUntilAborted(() => this.opened(events), { ...pauses, signal, mayPass });
    }
  }
}

/**
 * The events with their words. The keys of all events are looked up together; then each event is decrypted without
 * waiting.
 * @throws WordsUnreadable
 */
export async function openWords(
  events: readonly RecordedEvent[],
  dataKeys: DataKeys | undefined,
): Promise<readonly RecordedEvent[]> {
  const parts = events.map(sealedPartOf);
  const ids = new Set<string>();
  for (const part of parts) if (part) ids.add(part.key);
  if (ids.size === 0) return events;
  if (!dataKeys) throw masterKeyMissing();
  const keys = await dataKeys.find(ids);
  return events.map((event, index) => {
    const sealed = parts[index];
    const key = sealed && keys.get(sealed.key);
    // The data of an event whose key was destroyed says itself that its words are erased.
    return key && key !== 'destroyed' ? open(event, sealed.words, key) : event;
  });
}

const mayPass = (error: unknown) =>
  error instanceof EventStoreUnavailable && !(error instanceof EventStoreRefused);

/** The event as it is stored, with its words encrypted in the metadata. */
export function sealedUnder(
  { id, key }: DataKey,
  stream: string,
  event: NewEvent,
  { data, words: plain }: Parted,
): NewEvent {
  const words = encrypt(key, JSON.stringify(plain), placeOf(stream, event)).toString('base64url');
  return { ...event, data, metadata: { ...event.metadata, sealed: { key: id, words } } };
}

function open(event: RecordedEvent, text: string, { key }: DataKey): RecordedEvent {
  let words: Words;
  try {
    const plain = decrypt(key, Buffer.from(text, 'base64url'), placeOf(event.stream, event));
    // Only `sealed` above makes such a text.
    words = JSON.parse(plain.toString('utf8')) as Words;
  } catch (cause) {
    throw new WordsUnreadable(
      `the words of ${event.type} at revision ${event.revision} of ${event.stream} do not fit their key`,
      { cause },
    );
  }
  const { data } = event;
  return { ...event, data: joinWords({ data, words }), storedData: data };
}

/** Destroying the keys of a tenant erases the words of all its streams. */
export function ownerOf(stream: string, { metadata }: NewEvent): KeyOwner {
  return { environment: stream.split('.', 1)[0] ?? '', tenant: metadata.tenant };
}

/** Binds words to their event. The names of the fields are part of the encrypted text. */
function placeOf(stream: string, { id, type }: Pick<NewEvent, 'id' | 'type'>): string {
  return JSON.stringify([stream, id.toLowerCase(), type]);
}

/** Removes encrypted words that came with metadata of another event. */
function withoutSealed(event: NewEvent): NewEvent {
  if (event.metadata?.sealed === undefined) return event;
  const { sealed: _, ...metadata } = event.metadata;
  return { ...event, metadata };
}
