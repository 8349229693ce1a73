import type pg from 'pg';
import { categoryPrefix, type Environment, type StreamCategory } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { AuditFindings } from '../findings.js';
import type { History } from '../history/history.js';

/** The checkpoint of a read model or process manager. */
export interface KeptCheckpoint {
  readonly environment: Environment;
  readonly name: string;
  /** Null for a process manager, which keeps no rows. */
  readonly version: number | null;
  readonly haltedBecause: string | null;
  readonly position: bigint;
  /** The event that it was made from. */
  readonly eventPosition: bigint | null;
  readonly eventId: string | null;
}

/** The streams that a consumer follows, and the version of its code. */
export interface AuditedConsumer {
  readonly name: string;
  readonly categories: readonly StreamCategory[];
  readonly version: number | null;
}

export async function readCheckpoints(
  client: pg.Client,
  environments: readonly Environment[],
): Promise<KeptCheckpoint[]> {
  const columns = 'position::text, event_position::text as "eventPosition", event_id as "eventId"';
  const processes = environments.map(
    (environment) => `union all
      select '${environment}', process, null, halted_because, ${columns} from ${environment}.process_checkpoints
        where position is not null`,
  );
  const { rows } = await client.query<Record<keyof KeptCheckpoint, string | null>>(
    `select environment, name, version, null as "haltedBecause", ${columns} from read_store.projections
        where environment = any($1) and state in ('live', 'halted') and position is not null
      ${processes.join(' ')} order by 1, 2`,
    [environments],
  );
  // The statement names the columns; numbers of 64 bits come as text.
  return rows.map((row) => ({
    ...(row as unknown as KeptCheckpoint),
    position: BigInt(row.position!),
    eventPosition: row.eventPosition === null ? null : BigInt(row.eventPosition),
  }));
}

/**
 * Checks that each checkpoint names an event that the log has at that place, and that its consumer has skipped
 * no event after it. A checkpoint that does not fit was altered, or is from another state of the log. The other
 * checks find events that were skipped before it.
 */
export async function checkCheckpoints(
  checkpoints: readonly KeptCheckpoint[],
  consumers: readonly AuditedConsumer[],
  store: EventStore,
  findings: AuditFindings,
): Promise<void> {
  for (const checkpoint of checkpoints) {
    const { environment, name, version, haltedBecause } = checkpoint;
    const consumer = consumers.find((each) => each.name === name);
    // The checkpoint belongs to another release, so its streams are not known.
    if (!consumer) continue;
    findings.checked('checkpoints');
    const wrong = (message: string, expected: unknown, found: unknown) =>
      findings.wrong({ check: 'checkpoints', message, table: `${environment}.${name}`, expected, found });
    if (haltedBecause !== null) wrong(`the process manager is halted: ${haltedBecause}`, 'at work', 'halted');
    if (version !== consumer.version)
      wrong('another version of the fold made its rows', consumer.version, version);
    await checkPlace(checkpoint, consumer, store, wrong);
  }
}

async function checkPlace(
  { environment, position, eventPosition, eventId }: KeptCheckpoint,
  { categories }: AuditedConsumer,
  store: EventStore,
  wrong: (message: string, expected: unknown, found: unknown) => void,
): Promise<void> {
  if (eventPosition === null || eventId === null)
    return wrong('the checkpoint names no event', 'an event', 'nothing');
  const there = await store.lastEvent(eventPosition);
  if (there?.position !== eventPosition || there.id !== eventId)
    return wrong(
      `the checkpoint names an event that the log does not have at position ${eventPosition}`,
      there?.position === eventPosition ? there.id : 'no event',
      eventId,
    );
  if (position < eventPosition)
    return wrong(
      'the checkpoint lies before its own event',
      `${eventPosition} or more`,
      `position ${position}`,
    );
  const streamPrefixes = categories.map((category) => categoryPrefix(environment, category));
  const [next] = await store.readAll({
    after: eventPosition,
    limit: 1,
    filter: { streamPrefixes },
    unprovenToo: true,
  });
  if (next && next.position <= position)
    wrong(
      `the checkpoint has skipped ${next.type} of ${next.stream}`,
      `before ${next.position}`,
      `position ${position}`,
    );
}

/** By stream, the revision that its read models have seen. Contains only streams that have later events. */
export type ReachedEarlier = ReadonlyMap<string, bigint>;

const rowsPerPage = 5_000;

/** Checks the table by which the projector notices skipped events: it must have the folded revision of each stream. */
export async function checkStreamRevisions(
  client: pg.Client,
  environments: readonly Environment[],
  { streams }: History,
  { earlier, known }: { readonly earlier: ReachedEarlier; readonly known: number },
  findings: AuditFindings,
): Promise<void> {
  const check = 'stream-revisions';
  const table = 'read_store.stream_revisions';
  const ofEnvironments = environments.map((environment) => `${environment}.`);
  let met = 0;
  for (let last = ''; ;) {
    const { rows } = await client.query<{ stream: string; revision: string }>(
      `select stream, revision::text from read_store.stream_revisions
        where consumer = 'projections' and stream > $1 and stream ^@ any($2) order by stream limit ${rowsPerPage}`,
      [last, ofEnvironments],
    );
    for (const { stream, revision: text } of rows) {
      findings.checked(check);
      const revision = Number(text);
      const expected = earlier.has(stream) ? Number(earlier.get(stream)) : streams.lastRevisionOf(stream);
      if (expected !== undefined && expected >= 0) met += 1;
      if (revision === expected) continue;
      const message = 'the projector has recorded a wrong revision as the last folded one';
      findings.wrong({
        check,
        message,
        table,
        stream,
        expected: expected ?? 'no such stream',
        found: revision,
      });
    }
    if (rows.length < rowsPerPage) break;
    last = rows.at(-1)!.stream;
  }
  if (met === known) return;
  const message = 'the projector does not know how far it has folded some streams';
  findings.wrong({ check, message, table, expected: `${known} streams`, found: `${met} streams` });
}
