import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import type { Logger } from '#platform/logger.js';
import { bigintTypes, withConnection } from '#platform/postgres.js';
import { serves } from './projection-checkpoints.js';

/** An event that a read model could not fold, or one that waits behind such an event of the same stream. */
export interface ParkedEvent {
  readonly name: string;
  readonly generation: number;
  readonly recorded: RecordedEvent;
  /** Null for an event that only waits. */
  readonly error: string | null;
}

/** The streams that are parked, as `{name}/{generation}` → streams. */
export async function loadParkedStreams(
  client: pg.Client,
  environment: Environment,
): Promise<Map<string, Set<string>>> {
  const { rows } = await client.query<{ name: string; generation: number; stream: string }>(
    'select distinct name, generation, stream from read_store.parked_events where environment = $1',
    [environment],
  );
  const parked = new Map<string, Set<string>>();
  for (const { name, generation, stream } of rows) {
    const id = `${name}/${generation}`;
    parked.set(id, (parked.get(id) ?? new Set()).add(stream));
  }
  return parked;
}

/** The first revision that is parked, by stream. */
export async function parkedFrom(
  client: pg.Client,
  environment: Environment,
  { name, generation }: { readonly name: string; readonly generation: number },
): Promise<ReadonlyMap<string, bigint>> {
  const { rows } = await client.query<{ stream: string; revision: bigint }>(
    `select stream, min(revision) as revision from read_store.parked_events
      where environment = $1 and name = $2 and generation = $3 group by stream`,
    [environment, name, generation],
  );
  return new Map(rows.map(({ stream, revision }) => [stream, revision]));
}

/** Belongs in the transaction of the batch. */
export function park(environment: Environment, events: readonly ParkedEvent[]): pg.QueryConfig {
  const recorded = events.map((event) => event.recorded);
  return {
    text: `insert into read_store.parked_events
        (environment, name, generation, stream, revision, position, event_id, event_type, error)
      select $1, * from unnest(
        $2::text[], $3::integer[], $4::text[], $5::bigint[], $6::bigint[], $7::uuid[], $8::text[], $9::text[])
      on conflict do nothing`,
    values: [
      environment,
      events.map(({ name }) => name),
      events.map(({ generation }) => generation),
      recorded.map(({ stream }) => stream),
      recorded.map(({ revision }) => revision),
      recorded.map(({ position }) => position),
      recorded.map(({ id }) => id),
      recorded.map(({ type }) => type),
      events.map(({ error }) => error && storable(error)),
    ],
  };
}

/** PostgreSQL's text cannot hold a NUL, and an error may quote the value that caused it. */
function storable(error: string): string {
  return error.replaceAll('\0', '\\0');
}

/** A broken release may park every stream. The alarm must be noticed, but must not fill the disk. */
const alarmsPerBatch = 10;

export function logParked(log: Logger, environment: Environment, events: readonly ParkedEvent[]): void {
  const poison = events.filter(({ error }) => error !== null);
  for (const { name, recorded, error } of poison.slice(0, alarmsPerBatch)) {
    const { stream, type } = recorded;
    const revision = String(recorded.revision);
    log.error(
      { projection: name, environment, stream, revision, type, error },
      `${name} cannot fold ${type} of ${stream}: the stream is parked until this read model is rebuilt`,
    );
  }
  const more = poison.length - alarmsPerBatch;
  if (more > 0) log.error({ environment, more }, `${more} more streams were parked in the same batch`);
}

/** A stream that a read model no longer follows, because the first of its parked events could not be folded. */
export interface ParkedStream {
  readonly environment: Environment;
  readonly name: string;
  readonly generation: number;
  readonly stream: string;
  /** Revision, type and error are those of the event that cannot be folded. */
  readonly revision: bigint;
  readonly position: bigint;
  readonly type: string;
  /** With its stack. */
  readonly error: string;
  /** Events of the stream that wait behind it. */
  readonly waiting: number;
  readonly since: Date;
}

/** The parked streams of the generations that serve, in the order of the log. */
export async function listParkedStreams(url: string, environment?: Environment): Promise<ParkedStream[]> {
  const limits = { connectionTimeoutMillis: 10_000, query_timeout: 60_000 };
  const { rows } = await withConnection({ connectionString: url, types: bigintTypes, ...limits }, (client) =>
    client.query<ParkedStream>(listText, [environment]),
  );
  return rows;
}

const listText = `
  select first.environment, first.name, first.generation, first.stream, first.revision, first.position,
    first.event_type as type, coalesce(first.error, '') as error, first.parked_at as since, (behind.events - 1)::integer as waiting
  from (
    select environment, name, generation, stream, min(revision) as revision, count(*) as events
    from read_store.parked_events
    where ($1::text is null or environment = $1)
    group by environment, name, generation, stream
  ) behind
  join read_store.parked_events first using (environment, name, generation, stream, revision)
  join read_store.projections serving using (environment, name, generation)
  where ${serves}
  order by first.environment, first.position, first.name, first.generation`;
