import { Unwell, type HealthSources } from '#operator-calls/health.js';
import { processManagers } from '#application/process-managers/process-managers.js';
import { environments, type Environment } from '#domain/streams.js';
import { readModels } from '#projections/read-models.js';
import { consumersOf, lagsOf } from '#read-store/consumers.js';
import type { Queries } from '#read-store/data-source.js';

/** All read models and process managers that the projector runs. */
export const consumers = consumersOf(readModels, processManagers);

export interface ConsumerStatus {
  readonly kind: 'read model' | 'process manager';
  readonly env: Environment;
  readonly name: string;
  /** `live`, `halted` or `beyond the log`: its checkpoint is none of this store's. */
  readonly state: string;
  readonly halted_because: string | null;
  /** Null: it has handled nothing yet. */
  readonly position: string | null;
  /** Events that it has not handled yet; at most 500 are counted. */
  readonly lag: number;
  /** How long the first of them has been waiting. Null when there is none. */
  readonly lag_seconds: number | null;
  /** Events that a read model put aside because they, or one before them in their stream, cannot be folded. */
  readonly parked: number;
}

const mostCounted = 500;

/** The state of a consumer whose checkpoint does not belong to this store. */
const beyondTheLog = 'beyond the log';

/** How far behind each consumer is that has ever run. */
export async function readConsumers({
  database,
  store,
  configuration,
}: HealthSources): Promise<ConsumerStatus[]> {
  // PostgreSQL's positions count events; those of EventStoreDB are places in a file.
  const positionsAreCounts = /^postgres(?:ql)?:/.test(configuration.eventStoreUrl);
  const [rows, head] = await Promise.all([readRows(database), store.head()]);
  const followed = rows.map((row) => {
    const { env: environment, name, position } = row;
    const known = consumers.find((one) => one.environment === environment && one.name === name);
    const consumer = known ?? { kind: 'process manager' as const, environment, name, filter: {} };
    return { ...consumer, row, position: position === null ? null : BigInt(position) };
  });
  const lags = await lagsOf(followed, { store, positionsAreCounts, now: new Date() });
  return lags.map(({ row, position, events, seconds }): ConsumerStatus => {
    // In EventStoreDB, its own events lie between ours, so a checkpoint there may well be beyond our last
    // event.
    const isBeyond = positionsAreCounts && (position ?? 0n) > (head ?? 0n);
    return {
      ...row,
      ...(isBeyond && { state: beyondTheLog }),
      lag: Math.min(events, mostCounted),
      lag_seconds: events === 0 ? null : Math.round(seconds),
    };
  });
}

type StoredConsumer = Omit<ConsumerStatus, 'lag' | 'lag_seconds'>;

/** The checkpoints of the process managers, and of the read models' generations that serve reads. */
async function readRows(database: Queries): Promise<StoredConsumer[]> {
  const processes = environments.map(
    (
      env,
    ) => `select 'process manager', '${env}', process, case when halted_because is null then 'live' else 'halted' end,
        halted_because, position::text, 0
      from ${env}.process_checkpoints`,
  );
  const { rows } = await database.query(
    `select 'read model' as kind, environment as env, name, state, halted_because, position::text,
        (select count(*)::integer from read_store.parked_events parked
          where (parked.environment, parked.name, parked.generation) = (p.environment, p.name, p.generation)) as parked
      from read_store.projections p where state in ('live', 'halted')
      union all ${processes.join(' union all ')} order by kind, env, name`,
  );
  // The statement names and types its columns.
  return rows as StoredConsumer[];
}

/** A projector that works is never this far behind, not even with a full queue. */
export const patienceSeconds = 10;

const startProjector = 'start a projector; if one is running, its log says what holds it up';

/**
 * @returns a line about consumers that are well
 * @throws Unwell that says which consumers are not well, why, and what to do
 */
export function judgeConsumers(statuses: readonly ConsumerStatus[]): string {
  if (statuses.length === 0)
    throw new Unwell('none yet: no projector has ever run on this database', startProjector);
  const halted = statuses.filter(({ state }) => state === 'halted');
  if (halted.length > 0)
    throw new Unwell(
      halted.map(({ env, name, halted_because: why }) => `${env} ${name} is halted: ${why}`).join('; '),
      adviceForHalted(halted),
    );
  const lost = statuses.filter(({ state }) => state === beyondTheLog);
  if (lost.length > 0)
    throw new Unwell(
      `the checkpoints of ${lost.map(({ env, name }) => `${env} ${name}`).join(', ')} lie beyond the end of the log: they belong to another store`,
      'correct EVENT_STORE_URL; after a move to another store see docs/moving-to-eventstoredb.md',
    );
  const parked = statuses.reduce((sum, each) => sum + each.parked, 0);
  if (parked > 0)
    throw new Unwell(
      `${parked} events are parked`,
      '"atelier parked list" says why; once a release can fold them, run "atelier projections rebuild NAME --accept-differences"',
    );
  const late = statuses
    .filter(({ lag_seconds: seconds }) => (seconds ?? 0) > patienceSeconds)
    .map(({ env, name, ...each }) => `${env} ${name} is ${lagText(each)} behind`);
  if (late.length > 0) throw new Unwell(late.join('; '), startProjector);
  const lag = Math.max(...statuses.map((each) => each.lag));
  return lag === 0 ? 'all up to date' : `at most ${lag} events behind`;
}

/**
 * A rebuild makes rows again from the history, but not the effects of a process manager, which are part of the
 * history.
 */
function adviceForHalted(halted: readonly ConsumerStatus[]): string {
  const models = new Set(halted.filter(({ kind }) => kind === 'read model').map(({ name }) => name));
  if (models.size === 0)
    return 'start the projector again; if it halts again, docs/production.md, Restore, says how to go on';
  return `if the check of the log failed, see to that first; then run "atelier projections rebuild ${[...models].join(' ')}"`;
}

export function lagText({ lag, lag_seconds: seconds }: Pick<ConsumerStatus, 'lag' | 'lag_seconds'>): string {
  if (lag === 0) return '0 events';
  return `${lag === mostCounted ? `${lag} or more` : lag} events, ${seconds} s`;
}
