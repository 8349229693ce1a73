import type pg from 'pg';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { RecentMap } from '#platform/recent-map.js';
import { SkippedEvent } from './consumer-errors.js';

/** The revision of each stream after a batch. */
export type ReachedRevisions = ReadonlyMap<string, bigint>;

/** How many streams are remembered at least. That is more than a rebuild has on their way into the table. */
const rememberedStreams = 60_000;

/**
 * For streams that this run does not know: the last revision before this run. The argument holds the revision
 * that came now.
 */
export type KnownRevisions = (
  unknown: readonly (readonly [stream: string, revision: bigint])[],
) => Promise<ReadonlyMap<string, bigint>>;

/**
 * Notices when a consumer does not get an event. The revisions of a stream have no gaps. So each event must be
 * the next one of its stream, or one that is read again. Positions cannot show this, because they may have
 * gaps.
 */
export class StreamCursors {
  /** Where each stream stands in this run. While history is read again, that is behind the table's revision. */
  private readonly cursors: RecentMap<string, bigint>;
  private forgets = false;

  constructor(remembered = rememberedStreams) {
    this.cursors = new RecentMap(remembered, () => (this.forgets = true));
  }

  /** Whether this run may have read a stream and forgotten it since. */
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

  /** Leaves out streams that begin in this batch: nothing can have come before their first event. */
  private unknownOf(events: readonly RecordedEvent[]) {
    const first = new Map<string, bigint>();
    for (const { stream, revision } of events) if (!first.has(stream)) first.set(stream, revision);
    return [...first].filter(([stream, revision]) => revision > 0n && !this.cursors.has(stream));
  }
}

/** For read models. A table keeps the revisions that they have reached, in the same commits. */
export class StreamContinuity extends StreamCursors {
  constructor(private readonly consumer: string) {
    super();
  }

  known(client: pg.Client): KnownRevisions {
    return async (unknown) => {
      const { rows } = await client.query<{ stream: string; revision: bigint }>({
        name: 'load stream revisions',
        text: 'select stream, revision from read_store.stream_revisions where consumer = $1 and stream = any($2)',
        values: [this.consumer, unknown.map(([stream]) => stream)],
      });
      return new Map(rows.map(({ stream, revision }) => [stream, revision]));
    };
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
 * For a process manager, which stores no revisions of streams. If the event before a new one is unknown in this
 * run, its position decides. At or before `handledUpTo`, it was handled earlier. Otherwise it should have come
 * in this run, and was skipped.
 * @param handledUpTo where the run began; once it has forgotten streams, how far it has come
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
