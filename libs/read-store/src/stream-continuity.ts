import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { RecordedEvent } from '#event-store/event-store.js';
import { SkippedEvent } from './consumer-errors.js';

/** The revision that each stream of a batch has reached with it. */
export type ReachedRevisions = ReadonlyMap<string, bigint>;

const rememberedStreams = 50_000;

/**
 * Notices when a consumer is not given an event. The revisions of a stream have no gaps, so each event must be the
 * next of its stream, or one that is read again. A position tells nothing of the kind: positions may well have gaps.
 */
export class StreamContinuity {
  /** Where each stream stands in this run: behind the table's revision while history is being read again. */
  private readonly cursors = new LRUCache<string, bigint>({ max: rememberedStreams });

  constructor(private readonly consumer: string) {}

  /** @throws SkippedEvent */
  async check(client: pg.Client, events: readonly RecordedEvent[]): Promise<ReachedRevisions> {
    const stored = await this.load(client, events);
    const reached = new Map<string, bigint>();
    for (const { stream, revision } of events) {
      const cursor = reached.get(stream) ?? this.cursors.get(stream) ?? stored.get(stream) ?? -1n;
      if (revision > cursor + 1n) throw new SkippedEvent(stream, cursor + 1n, revision);
      reached.set(stream, revision);
    }
    return reached;
  }

  /** To be called when a batch that was checked goes on to be committed, before the next one is checked. */
  advance(reached: ReachedRevisions): void {
    for (const [stream, revision] of reached) this.cursors.set(stream, revision);
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

  /** Streams that begin in this batch need no look at the table: nothing can have come before their first event. */
  private async load(client: pg.Client, events: readonly RecordedEvent[]): Promise<Map<string, bigint>> {
    const first = new Map<string, bigint>();
    for (const { stream, revision } of events) if (!first.has(stream)) first.set(stream, revision);
    const unknown = [...first].filter(([stream, revision]) => revision > 0n && !this.cursors.has(stream));
    if (unknown.length === 0) return new Map();
    const { rows } = await client.query<{ stream: string; revision: bigint }>({
      name: 'load stream revisions',
      text: 'select stream, revision from read_store.stream_revisions where consumer = $1 and stream = any($2)',
      values: [this.consumer, unknown.map(([stream]) => stream)],
    });
    return new Map(rows.map(({ stream, revision }) => [stream, revision]));
  }
}
