import { hasOwnKeys } from '#domain/streams.js';
import type { EventMacs } from './authentic/event-macs.js';
import { passes, type NewEvent, type RecordedEvent } from './event-store.js';
import { ownEvents } from './own-events.js';
import type { DataKeys } from './sealed/data-keys.js';
import type { DataKey } from './sealed/key-row.js';
import { partWords, type Parted } from './sealed/personal-words.js';
import { openWords, ownerOf, sealedPartOf, sealedUnder } from './sealed/sealed-store.js';
import { firstRevision } from './serialised-event.js';

/** Events of one stream that a copy appends together. */
export interface CopiedEvents {
  readonly stream: string;
  readonly expected: bigint | 'no-stream';
  readonly events: readonly RecordedEvent[];
}

const isOurs = passes(ownEvents);

/**
 * Encrypts the personal words of events from before there was a master key, for a copy of their log. The words are taken
 * from the stored data, by the paths that the event's family declares today. The schema version stays, and reading gives
 * back the same data.
 */
export class HistorySealer {
  /** The key of each stream that has keys of its own: an id that no other stream uses. */
  private readonly keyIds = new Map<string, string>();
  /** Places of events whose key was destroyed since a copy has written them. */
  private readonly erased = new Set<string>();
  private sealed = 0;

  /** @param macs those of the service: an event whose bytes change needs a new proof of its writer */
  constructor(
    private readonly keys: DataKeys,
    private readonly macs: EventMacs,
  ) {}

  /** How many events it has encrypted. */
  get count(): number {
    return this.sealed;
  }

  /**
   * The events as the copy stores them. Events without plain words stay as they are, with their proof.
   * @throws WordsUnreadable, EventStoreUnavailable
   */
  async seal(append: CopiedEvents): Promise<readonly NewEvent[]> {
    const { stream, expected, events } = append;
    const sealed: NewEvent[] = [];
    for (const [index, event] of events.entries()) {
      const { id, type, data, metadata } = event;
      const plain = plainWordsOf(event);
      if (!plain) {
        sealed.push({ id, type, data, metadata });
        continue;
      }
      const { mac: _, ...bare } = metadata;
      const key = await this.keyFor(append, event);
      const written = sealedUnder(key, stream, { id, type, data, metadata: bare }, plain);
      sealed.push(this.proven(written, stream, firstRevision(expected) + BigInt(index)));
      this.sealed += 1;
    }
    return sealed;
  }

  /**
   * A text of each event, the same before and after {@link seal}: all that the event means, without the bytes that depend
   * on the key. Read the target first: words that were erased there count as erased in the source.
   * @throws WordsUnreadable, EventStoreUnavailable
   */
  async meanings(events: readonly RecordedEvent[]): Promise<readonly string[]> {
    return (await openWords(events, this.keys)).map((event) => {
      const { stream, revision, id, type, metadata } = event;
      let { data } = event;
      const plain = plainWordsOf(event);
      const place = `${revision} ${stream}`;
      if (sealedPartOf(event) && event.storedData === undefined) this.erased.add(place);
      else if (plain && this.erased.has(place)) ({ data } = plain);
      // Another writer's metadata may be anything.
      const { mac: _, sealed: __, ...rest } = (metadata as RecordedEvent['metadata'] | null) ?? {};
      return JSON.stringify([stream, Number(revision), id.toLowerCase(), type, data, rest]);
    });
  }

  /**
   * Takes an event of the target. Later events of its stream get the same key.
   * @returns why no copy that encrypts wrote this event; undefined: one may have
   */
  objectionTo(event: RecordedEvent): string | undefined {
    if (!isOurs(event)) return undefined;
    if (plainWordsOf(event)) return 'holds personal words as plain text';
    if (this.macs.verdictOn(event) === 'wrong') return 'carries a MAC that does not fit it';
    const key = sealedPartOf(event)?.key;
    if (key !== undefined && hasOwnKeys(event.stream)) this.keyIds.set(event.stream, key);
    return undefined;
  }

  private async keyFor({ stream, expected, events }: CopiedEvents, event: RecordedEvent): Promise<DataKey> {
    const known = this.keyIds.get(stream);
    const found = known !== undefined && (await this.keys.find(new Set([known]))).get(known);
    if (found && found !== 'destroyed') return found;
    const write = { stream, expectedRevision: expected, events };
    const owner = ownerOf(stream, event);
    for (;;) {
      const key = this.keys.inMemory(write, owner);
      if (!key) {
        await this.keys.prepare(write, owner);
        continue;
      }
      if (hasOwnKeys(stream)) this.keyIds.set(stream, key.id);
      return key;
    }
  }

  private proven({ id, type, data, metadata }: NewEvent, stream: string, revision: bigint): NewEvent {
    const text = this.macs.withMac({
      stream,
      revision,
      id: id.toLowerCase(),
      type,
      data: JSON.stringify(data),
      metadata: JSON.stringify(metadata),
    });
    // The text of metadata, and the MAC in it.
    return { id, type, data, metadata: JSON.parse(text) as NewEvent['metadata'] };
  }
}

/** Undefined: the event has none, or they are encrypted, or another program wrote it. */
function plainWordsOf(event: RecordedEvent): Parted | undefined {
  return isOurs(event) && !sealedPartOf(event) ? partWords(event.type, event.data) : undefined;
}
