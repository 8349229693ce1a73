import { categoryPrefix, environments, type Environment } from '#domain/streams.js';
import { passes, type EventFilter, type EventStore, type RecordedEvent } from '#event-store/event-store.js';
import type { Queries } from './data-source.js';
import { earliest, serves } from './projection-checkpoints.js';
import type { ReadModel } from './read-model.js';

/** Something that follows the log of one environment and keeps a checkpoint in PostgreSQL. */
export interface Consumer {
  readonly kind: 'projection' | 'process manager';
  readonly environment: Environment;
  readonly name: string;
  /** The events that it has to do with. */
  readonly filter: EventFilter;
}

/** All consumers of a projector, in both environments, even if no projector runs. */
export function consumersOf(
  readModels: readonly Pick<ReadModel<object>, 'name' | 'categories'>[],
  processManagers: readonly { readonly name: string; filter(environment: Environment): EventFilter }[],
): Consumer[] {
  return environments.flatMap((environment): Consumer[] => [
    ...readModels.map(({ name, categories }): Consumer => {
      const streamPrefixes = categories.map((category) => categoryPrefix(environment, category));
      return { kind: 'projection', environment, name, filter: { streamPrefixes } };
    }),
    ...processManagers.map(({ name, filter }): Consumer => ({
      kind: 'process manager',
      environment,
      name,
      filter: filter(environment),
    })),
  ]);
}

export interface ConsumerPosition extends Consumer {
  /** Null: it has handled nothing yet. */
  readonly position: bigint | null;
  readonly halted: boolean;
  /** Streams that a projection put aside because it cannot fold one of their events. */
  readonly parkedStreams: number;
}

const statement = `
  select 'projection' as kind, p.environment, p.name, p.position::text, p.state = 'halted' as halted,
    coalesce(parked.streams, 0) as "parkedStreams"
    from read_store.projections p
    left join (
      select environment, name, generation, count(distinct stream)::integer as streams
        from read_store.parked_events group by environment, name, generation
    ) parked on (parked.environment, parked.name, parked.generation) = (p.environment, p.name, p.generation)
   where ${serves}
  ${environments
    .map(
      (environment) => `union all
  select 'process manager', '${environment}', process, position::text, halted_because is not null, 0
    from ${environment}.process_checkpoints`,
    )
    .join('\n  ')}`;

/**
 * The position of each consumer. For a projection, the position of the generation that serves reads. A consumer
 * that never ran is at the start.
 */
export async function readPositions(
  database: Queries,
  consumers: readonly Consumer[],
): Promise<ConsumerPosition[]> {
  const idOf = ({ kind, environment, name }: Pick<Consumer, 'kind' | 'environment' | 'name'>) =>
    `${kind}/${environment}/${name}`;
  // The columns are named and typed by the statement. Numbers of 64 bits come as text.
  const rows = (await database.query(statement)).rows as (Omit<ConsumerPosition, 'filter' | 'position'> & {
    position: string | null;
  })[];
  const known = new Map(rows.map((row) => [idOf(row), row]));
  const neverRan = { position: null, halted: false, parkedStreams: 0 };
  return consumers.map((consumer) => {
    const { position, halted, parkedStreams } = known.get(idOf(consumer)) ?? neverRan;
    return { ...consumer, position: position === null ? null : BigInt(position), halted, parkedStreams };
  });
}

const haltedProcesses = environments.map(
  (environment) =>
    `union all select '${environment} ' || process from ${environment}.process_checkpoints where halted_because is not null`,
);

/** The consumers that stand still, as `live jobs`. Empty: none. */
export async function readHalted(database: Queries): Promise<string[]> {
  const { rows } = (await database.query(
    `select environment || ' ' || name as name from read_store.projections where state = 'halted'
      ${haltedProcesses.join(' ')} order by 1`,
  )) as { rows: { name: string }[] };
  return rows.map(({ name }) => name);
}

export interface Lag {
  /** Events that the consumer has not handled yet. {@link lagsOf} says how exact the number is. */
  readonly events: number;
  /** Age of the first of them in seconds; 0 when there is none. */
  readonly seconds: number;
}

export interface LagOptions {
  readonly store: Pick<EventStore, 'head' | 'readAll'>;
  /** Whether positions count events, as in PostgreSQL. In EventStoreDB they are places in a file. */
  readonly positionsAreCounts: boolean;
  readonly now: Date;
}

/**
 * How many events of each environment are read one by one. It limits the cost of a scrape while a consumer is
 * late.
 */
export const countedEvents = 1_000;

/**
 * How far each consumer is behind the log, by its checkpoint. The number is exact as long as no more than
 * {@link countedEvents} events of the environment follow the checkpoint. Beyond that it is a bound. So a
 * projection that stopped days ago costs a scrape no more than a projection that is slightly late:
 *
 * - where positions count events: all events of the log after the checkpoint, of every consumer (never too
 *   few);
 * - elsewhere: its events among the first {@link countedEvents} of the environment (never too many).
 *
 * @throws what the store throws
 */
export async function lagsOf<C extends Consumer>(
  consumers: readonly (C & { readonly position: bigint | null })[],
  { store, positionsAreCounts, now }: LagOptions,
): Promise<(C & Lag)[]> {
  const head = await store.head();
  const behind = consumers.filter(({ position }) => head !== undefined && (position ?? -1n) < head);
  const isFar = (position: bigint | null) =>
    positionsAreCounts && (head ?? 0n) - (position ?? 0n) > BigInt(countedEvents);
  const secondsSince = ({ metadata }: RecordedEvent) =>
    Math.max(0, (now.getTime() - Date.parse(metadata.recordedAt)) / 1000);

  const near = behind.filter(({ position }) => !isFar(position));
  const pages = new Map<string, readonly RecordedEvent[]>();
  for (const environment of environments) {
    const positions = near.filter((each) => each.environment === environment).map((each) => each.position);
    if (positions.length === 0) continue;
    pages.set(environment, await nextEvents(store, positions, `${environment}.`));
  }
  // Consumers at the same position share the read of the next event.
  const firsts = new Map<bigint | null, Promise<readonly RecordedEvent[]>>();
  const firstAfter = (position: bigint | null) => {
    const look = firsts.get(position) ?? store.readAll({ ...afterOf(position), limit: 1, unprovenToo: true });
    firsts.set(position, look);
    return look;
  };

  const lagOf = async ({ environment, position, filter }: (typeof consumers)[number]): Promise<Lag> => {
    if (head === undefined || (position ?? -1n) >= head) return { events: 0, seconds: 0 };
    if (isFar(position)) {
      const [first] = await firstAfter(position);
      return { events: Number(head - (position ?? 0n)), seconds: first ? secondsSince(first) : 0 };
    }
    const page = pages.get(environment) ?? [];
    const own = page.filter((event) => event.position > (position ?? -1n)).filter(passes(filter));
    return { events: own.length, seconds: own[0] ? secondsSince(own[0]) : 0 };
  };
  return Promise.all(consumers.map(async (consumer) => ({ ...consumer, ...(await lagOf(consumer)) })));
}

function nextEvents(
  store: LagOptions['store'],
  positions: readonly (bigint | null)[],
  streamPrefix: string,
): Promise<readonly RecordedEvent[]> {
  const filter = { streamPrefixes: [streamPrefix] };
  return store.readAll({ ...afterOf(earliest(positions)), filter, limit: countedEvents, unprovenToo: true });
}

function afterOf(position: bigint | null): { after?: bigint } {
  return position === null ? {} : { after: position };
}
