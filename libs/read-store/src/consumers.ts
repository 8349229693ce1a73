import { categoryPrefix, environments, type Environment } from '#domain/streams.js';
import type { EventFilter } from '#event-store/event-store.js';
import type { ReadModel } from './read-model.js';
import { serves } from './projection-checkpoints.js';

/** Something that follows the log of one environment and keeps a checkpoint in PostgreSQL. */
export interface Consumer {
  readonly kind: 'projection' | 'process manager';
  readonly environment: Environment;
  readonly name: string;
  /** The events that it has to do with. */
  readonly filter: EventFilter;
}

/** All that a projector runs, in both environments, whether one runs or not. */
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

/** What the looks at the database need of a connection or a pool. */
export interface Queries {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface ConsumerPosition extends Consumer {
  /** Null: it has handled nothing yet. */
  readonly position: bigint | null;
  readonly halted: boolean;
  /** Streams that a projection put aside because it cannot fold one of their events. */
  readonly parkedStreams: number;
}

interface StoredPosition {
  readonly kind: Consumer['kind'];
  readonly environment: Environment;
  readonly name: string;
  readonly position: string | null;
  readonly halted: boolean;
  readonly parked: number;
}

const statement = `
  select 'projection' as kind, p.environment, p.name, p.position::text, p.state = 'halted' as halted,
    coalesce(parked.streams, 0) as parked
    from read_store.projections p
    left join (
      select environment, name, generation, count(distinct stream)::integer as streams
        from read_store.parked_events group by environment, name, generation
    ) parked on (parked.environment, parked.name, parked.generation) = (p.environment, p.name, p.generation)
   where ${serves}
  ${environments
    .map(
      (environment) => `union all
  select 'process manager', '${environment}', process, position::text, false, 0 from ${environment}.process_checkpoints`,
    )
    .join('\n  ')}`;

/** Where each consumer is. Of a projection, the generation that serves the reads. One that never ran is at the start. */
export async function readPositions(
  database: Queries,
  consumers: readonly Consumer[],
): Promise<ConsumerPosition[]> {
  const idOf = ({ kind, environment, name }: Pick<Consumer, 'kind' | 'environment' | 'name'>) =>
    `${kind}/${environment}/${name}`;
  // The columns are named and typed by the statement.
  const { rows } = (await database.query(statement)) as { rows: StoredPosition[] };
  const known = new Map(rows.map((row) => [idOf(row), row]));
  return consumers.map((consumer) => {
    const row = known.get(idOf(consumer));
    if (!row) return { ...consumer, position: null, halted: false, parkedStreams: 0 };
    const { position, halted, parked: parkedStreams } = row;
    return { ...consumer, position: position === null ? null : BigInt(position), halted, parkedStreams };
  });
}

/** The projections that stand still, as `live jobs`. Empty: none. */
export async function readHalted(database: Queries): Promise<string[]> {
  const { rows } = (await database.query(
    `select environment || ' ' || name as name from read_store.projections where state = 'halted' order by 1`,
  )) as { rows: { name: string }[] };
  return rows.map(({ name }) => name);
}
