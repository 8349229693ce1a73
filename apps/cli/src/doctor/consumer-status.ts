import pg from 'pg';
import { environments, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Consumer } from '#read-store/consumers.js';
import { consumers } from '../consumers.js';
import { answerWithinMs } from './check.js';

export interface ConsumerStatus {
  readonly kind: 'read model' | 'process manager';
  readonly env: Environment;
  readonly name: string;
  /** `live` or `halted` of a read model, `live` of a process manager; {@link beyondTheLog} of either. */
  readonly state: string;
  readonly halted_because: string | null;
  /** Null: it has handled nothing yet. */
  readonly position: string | null;
  /** Events that it has not handled yet: at most {@link countedEvents} are counted. */
  readonly lag: number;
  /** How long the first of them has been waiting. Null when there is none. */
  readonly lag_seconds: number | null;
  /** Events that a read model put aside because they, or one before them in their stream, cannot be folded. */
  readonly parked: number;
}

type Row = Omit<ConsumerStatus, 'lag' | 'lag_seconds'>;

export const countedEvents = 500;

/** The state of a consumer whose checkpoint is none of this store's. */
export const beyondTheLog = 'beyond the log';

/**
 * How far each consumer that has ever run is behind. Positions are not counted in events in every store, so the events
 * after the checkpoint are: those of the consumer, and no others.
 */
export async function readConsumers(
  databaseUrl: string,
  { store, kind }: { readonly store: EventStore; readonly kind: string },
): Promise<ConsumerStatus[]> {
  const [rows, head] = await Promise.all([readRows(databaseUrl), store.head()]);
  const known = new Map<string, Promise<Lag>>();
  return Promise.all(
    rows.map(async (row) => {
      const consumer = consumers.find(
        ({ environment, name }) => environment === row.env && name === row.name,
      );
      const key = JSON.stringify([row.position, consumer?.filter]);
      const lag = known.get(key) ?? lagOf(store, head, row.position, consumer);
      known.set(key, lag);
      // EventStoreDB's own events lie between ours, so a checkpoint there may well be beyond our last one.
      const isBeyond = kind === 'PostgreSQL' && BigInt(row.position ?? 0) > (head ?? 0n);
      return { ...row, ...(isBeyond && { state: beyondTheLog }), ...(await lag) };
    }),
  );
}

type Lag = Pick<ConsumerStatus, 'lag' | 'lag_seconds'>;

async function lagOf(
  store: EventStore,
  head: bigint | undefined,
  position: string | null,
  consumer: Consumer | undefined,
): Promise<Lag> {
  const none = { lag: 0, lag_seconds: null };
  if (head === undefined || (position !== null && BigInt(position) >= head)) return none;
  const after = position === null ? {} : { after: BigInt(position) };
  const filter = consumer ? { filter: consumer.filter } : {};
  const events = await store.readAll({ ...after, ...filter, limit: countedEvents });
  const [first] = events;
  if (!first) return none;
  const waitingMs = Date.now() - Date.parse(first.metadata.recordedAt);
  return { lag: events.length, lag_seconds: Math.max(0, Math.round(waitingMs / 1000)) };
}

/** Of the read models, the generation that serves the reads. */
async function readRows(databaseUrl: string): Promise<Row[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
  });
  client.on('error', () => undefined);
  const processes = environments.map(
    (env) => `select 'process manager', '${env}', process, 'live', null, position::text, 0
      from ${env}.process_checkpoints`,
  );
  try {
    await client.connect();
    const { rows } = await client.query<Row>(
      `select 'read model' as kind, environment as env, name, state, halted_because, position::text,
          (select count(*)::integer from read_store.parked_events parked
            where (parked.environment, parked.name, parked.generation) = (p.environment, p.name, p.generation)) as parked
        from read_store.projections p where state in ('live', 'halted')
        union all ${processes.join(' union all ')} order by kind, env, name`,
    );
    return rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
