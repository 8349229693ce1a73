import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import type { RecordedEvent } from '#event-store/event-store.js';

/** An event that a read model could not fold, or one that waits behind such an event of its stream. */
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
      // PostgreSQL's text cannot hold a NUL, and an error may well quote the value that was to blame.
      events.map(({ error }) => error?.replaceAll('\0', '\\0') ?? null),
    ],
  };
}
