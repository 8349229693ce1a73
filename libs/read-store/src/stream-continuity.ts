import type pg from 'pg';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { RecentMap } from '#platform/recent-map.js';
import { SkippedEvent } from './consumer-errors.js';

/** The revision that each stream of a batch has reached with it. */
export type ReachedRevisions = ReadonlyMap<string, bigint>;

/** The least number of streams. It is more than a rebuild has on their way into the table. */
const rememberedStreams = 60_000;

/** How far each of these streams was known to be before this run. The revision that came now is beside the stream. */
export type KnownRevisions = (
  unknown: readonly (readonly [stream: string, revision: bigint])[],
) => Promise<ReadonlyMap<string, bigint>>;

/**
 * Notices when a consumer is not given an event. The revisions of a stream have no gaps, so each event must be the
 * next of its stream, or one that is read again. A position tells nothing of the kind: positions may well have gaps.
 */
export class StreamCursors {
  /** Where each stream stands in this run: behind the table's revision while history is being read again. */
  private readonly cursors: RecentMap<string, bigint>;
  private forgets = false;

  constructor(remembered = rememberedStreams) {
    this.cursors = new RecentMap(remembered, () => (this.forgets = true));
  }

  /** Whether a stream that is not known may have been read in this run all the same. */
  get hasForgotten(): boolean {
    return this.forgets;
  }

  /** @throws SkippedEvent */
  async check(events: readonly RecordedEvent[], known: KnownRevisions): Promise<ReachedRevisions> {
    const unknown = this.unknownOf(events);
    const before = unknown.length > 0 ? await known(unknown) : undefined;
    const reached = new Map<string, bigint>();
    for (const { stream, revision } of events) {
      const cursor = reached.get(stream) ?? this.cursors.get(stream) ?? before?.get(stream) ?? -1n;
      if (revision > cursor + 1n) throw new SkippedEvent(stream, cursor + 1n, revision);
      reached.set(stream, revision);
    }
    return reached;
  }

  /** Call it for a checked batch that is about to be committed, before the next check. */
  advance(reached: ReachedRevisions): void {
    for (const [stream, revision] of reached) this.cursors.set(stream, revision);
  }

  /** Streams that begin in this batch are known: nothing can have come before their first event. */
  private unknownOf(events: readonly RecordedEvent[]) {
    const first = new Map<string, bigint>();
    for (const { stream, revision } of events) if (!first.has(stream)) first.set(stream, revision);
    return [...first].filter(([stream, revision]) => revision > 0n && !this.cursors.has(stream));
  }
}

/** For read models: a table keeps the revisions that they have reached, in the same commits. */
export class StreamContinuity {
  private readonly cursors = new StreamCursors();

  constructor(private readonly consumer: string) {}

  /** @throws SkippedEvent */
  check(client: pg.Client, events: readonly RecordedEvent[]): Promise<ReachedRevisions> {
    return this.cursors.check(events, async (unknown) => {
      const { rows } = await client.query<{ stream: string; revision: bigint }>({
        name: 'load stream revisions',
        text: 'select stream, revision from read_store.stream_revisions where consumer = $1 and stream = any($2)',
        values: [this.consumer, unknown.map(([stream]) => stream)],
      });
      return new Map(rows.map(({ stream, revision }) => [stream, revision]));
    });
  }

  /** As {@link StreamCursors.advance}. */
  advance(reached: ReachedRevisions): void {
    this.cursors.advance(reached);
  }

  /** Belongs in the transaction of the batch. */
  store(reached: ReachedRevisions): pg.QueryConfig {
    return {
      name: 'store stream revisions',
      text: `insert into read_store.stream_revisions as known (consumer, stream, revision)
        select $1, * from unnest($2::text[], $3::bigint[])
        on conflict (consumer, stream) do update set revision = greatest(known.revision, excluded.revision)`,
      values: [this.consumer, [...reached.keys()], [...reached.values()]],
    };
  }
}

/**
 * For a process manager, which stores no revisions of streams. If an event is missing before a new one, it was handled
 * earlier if it lies at or before `handledUpTo`. Otherwise it should have come in this run, and was skipped.
 * @param handledUpTo from where the run began; once it has forgotten streams, up to where it has come
 */
export function knownFromLog(
  store: Pick<EventStore, 'readStream'>,
  handledUpTo: () => bigint | null,
): KnownRevisions {
  return async (unknown) => {
    const upTo = handledUpTo() ?? -1n;
    const before = await Promise.all(
      unknown.map(async ([stream, revision]) => {
        const slice = await store.readStream(stream, { from: revision - 1n, limit: 1, unprovenToo: true });
        const [event] = slice.kind === 'found' ? slice.events : [];
        const isHandled = event !== undefined && event.position <= upTo;
        return [stream, isHandled ? revision - 1n : revision - 2n] as const;
      }),
    );
    return new Map(before);
  };
}
