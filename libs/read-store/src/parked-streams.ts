import pg from 'pg';
import type { Environment } from '#domain/streams.js';

/** A stream that a read model does not follow any more, because of the first of its parked events. */
export interface ParkedStream {
  readonly environment: Environment;
  readonly name: string;
  readonly generation: number;
  readonly stream: string;
  /** Of the event that cannot be folded, as are the type and the error. */
  readonly revision: bigint;
  readonly position: bigint;
  readonly type: string;
  /** With its stack. */
  readonly error: string;
  /** Events of the stream that wait behind it. */
  readonly waiting: number;
  readonly since: Date;
}

export interface ParkedSelection {
  readonly environment?: Environment | undefined;
  readonly name?: string | undefined;
  readonly stream?: string | undefined;
}

/** Those of the generations that serve, in the order of the log. */
export async function listParkedStreams(
  url: string,
  { environment, name, stream }: ParkedSelection = {},
): Promise<ParkedStream[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    query_timeout: 60_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<Listed>(listText, [environment, name, stream]);
    return rows.map(({ revision, position, error, ...row }) => ({
      ...row,
      revision: BigInt(revision),
      position: BigInt(position),
      error: error ?? '',
    }));
  } finally {
    await client.end().catch(() => undefined);
  }
}

interface Listed extends Omit<ParkedStream, 'revision' | 'position' | 'error'> {
  readonly revision: string;
  readonly position: string;
  readonly error: string | null;
}

const listText = `
  select first.environment, first.name, first.generation, first.stream, first.revision::text, first.position::text,
    first.event_type as type, first.error, first.parked_at as since, (behind.events - 1)::integer as waiting
  from (
    select environment, name, generation, stream, min(revision) as revision, count(*) as events
    from read_store.parked_events
    where ($1::text is null or environment = $1) and ($2::text is null or name = $2) and ($3::text is null or stream = $3)
    group by environment, name, generation, stream
  ) behind
  join read_store.parked_events first using (environment, name, generation, stream, revision)
  join read_store.projections serving using (environment, name, generation)
  where serving.state in ('live', 'halted')
  order by first.environment, first.position, first.name, first.generation`;
