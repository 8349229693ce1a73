import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import { shapeBeforeGrowth, shapeOf } from './entity-table.js';
import { inTransaction } from './commit-queue.js';
import { anchorOf, type AnchorColumns, type AnchoredCheckpoint } from './log-fit.js';
import type { ReadModel } from './read-model.js';

/**
 * The states of a generation, which is a table with the rows of one fold of a read model. `halted_because` says
 * in words why a generation is in its state.
 *
 * - `live`: the view shows it and the projector keeps it up to date. There is one, or none yet.
 * - `halted`: the view shows it, but it is not updated.
 * - `building`: it is being filled from the history.
 * - `comparing`: the same, but only for a comparison with the live one. The next run that finds it removes it.
 * - `complete`: it is filled, and waits for a switch.
 * - `differing`: the same, but its rows differ from the live ones.
 * - `retired`: it was live before the last switch. It is kept for a rollback, and is not updated.
 */
export type GenerationState =
  'live' | 'halted' | 'building' | 'comparing' | 'complete' | 'differing' | 'retired';

/** For SQL: the generation that readers see. */
export const serves = `state in ('live', 'halted')`;

export function isServing({ state }: { readonly state: GenerationState }): boolean {
  return state === 'live' || state === 'halted';
}

/** The row of a read model's serving generation in the table `read_store.projections`. */
export interface Checkpoint extends AnchoredCheckpoint {
  readonly name: string;
  readonly generation: number;
  /** Version of the fold that made the generation's rows. */
  readonly version: number;
  /** Belongs to the runner that took over last. */
  readonly epoch: bigint;
}

export interface TakenOver extends Checkpoint {
  /**
   * The rows up to here are those of this release's fold. If it is less than the position, another release has
   * folded since. Null: this release has never folded.
   */
  readonly foldedTo: bigint | null;
  /** Up to here only rows of events are missing that the model consumes since a later release. */
  readonly fewerTo: bigint | null;
}

/** The earliest of the positions; null when one of them is at the beginning. */
export function earliest(positions: readonly (bigint | null)[]): bigint | null {
  return positions.reduce((a, b) => (a === null || b === null ? null : a < b ? a : b));
}

/**
 * Makes this runner the owner. From now on the database refuses commits of the earlier owner. A new read model
 * gets its first generation. The commit is durable at once, unlike batches, which can always be repeated from
 * history.
 */
export async function takeOver(
  client: pg.Client,
  environment: Environment,
  models: readonly ReadModel<object>[],
): Promise<TakenOver[]> {
  const names = models.map((model) => model.name);
  const results = await inTransaction(client, [
    { text: 'set local synchronous_commit = on' },
    {
      text: `insert into read_store.projections (environment, name, generation, version, state)
        select $1, model.name, 1, model.version, 'live'
        from unnest($2::text[], $3::integer[]) as model (name, version)
        where not exists (
          select from read_store.projections known where known.environment = $1 and known.name = model.name
        )`,
      values: [environment, names, models.map((model) => model.version)],
    },
    {
      text: `update read_store.projections
        set epoch = epoch + 1, state = 'live', halted_because = null, updated_at = now(),
          folded_to = case when position is null then '{}' else folded_to end
        where environment = $1 and name = any($2::text[]) and ${serves}
        returning name, generation, version, position, epoch, event_position, event_id,
          (folded_to->>($3::text[])[array_position($2::text[], name)])::bigint as "foldedTo",
          (folded_to->>($4::text[])[array_position($2::text[], name)])::bigint as "fewerTo"`,
      values: [environment, names, models.map(shapeOf), models.map(shapeBeforeGrowth)],
    },
  ]);
  // The last statement names the columns and their types. The answer to `commit` comes after it.
  const taken = (results.at(-2)?.rows ?? []) as (TakenOver & AnchorColumns)[];
  return taken.map(({ event_position, event_id, ...checkpoint }) => ({
    ...checkpoint,
    anchor: anchorOf({ event_position, event_id }),
  }));
}

/**
 * Moves checkpoints to their positions and anchors within a batch's transaction. The transaction fails unless
 * each checkpoint still has the owner's epoch. This comes first in the transaction: its row locks make a runner
 * that is taking over wait for the commit, or this runner for that one. The locks are taken in the order of
 * names, like in a switch of generations. In another order the two could deadlock.
 *
 * The mark of this release's fold moves along, unless another release has moved the checkpoint beyond the mark.
 */
export function advance(
  environment: Environment,
  owned: readonly Checkpoint[],
  models: readonly ReadModel<object>[],
): pg.QueryConfig {
  const shapes = new Map(models.map((model) => [model.name, shapeOf(model)]));
  return {
    name: 'advance projections',
    text: `with own as (
        select * from unnest($2::text[], $3::integer[], $4::bigint[], $5::bigint[], $6::bigint[], $7::uuid[],
            $8::text[])
          as own (name, generation, epoch, position, event_position, event_id, shape)
      ), locked as (
        select own.* from read_store.projections known join own using (name, generation, epoch)
        where known.environment = $1 order by known.name for update of known
      ), moved as (
        update read_store.projections as known
        set position = locked.position, event_position = locked.event_position, event_id = locked.event_id,
          updated_at = now(), folded_to = case
            when known.folded_to->>locked.shape is distinct from known.position::text then known.folded_to
            else known.folded_to || jsonb_build_object(locked.shape, locked.position::text)
          end
        from locked
        where known.environment = $1 and known.name = locked.name and known.generation = locked.generation
          and known.epoch = locked.epoch
        returning known.name
      )
      select read_store.require(
        (select count(*) from moved) = cardinality($2),
        'another runner has taken over the projections of ' || $1
      )`,
    values: [
      environment,
      owned.map(({ name }) => name),
      owned.map(({ generation }) => generation),
      owned.map(({ epoch }) => epoch),
      owned.map(({ position }) => position),
      owned.map(({ anchor }) => anchor?.position),
      owned.map(({ anchor }) => anchor?.id),
      owned.map(({ name }) => shapes.get(name)),
    ],
  };
}

/**
 * Records that the rows are this release's fold of the events up to here. Belongs in the transaction that
 * writes the rows.
 */
export function markFolded(
  environment: Environment,
  { name, generation }: Pick<Checkpoint, 'name' | 'generation'>,
  model: ReadModel<object>,
  position: bigint,
): pg.QueryConfig {
  return {
    text: `update read_store.projections set folded_to = folded_to || jsonb_build_object($4::text, $5::text)
      where environment = $1 and name = $2 and generation = $3`,
    values: [environment, name, generation, shapeOf(model), String(position)],
  };
}

/** Records that a read model is halted, and why: `projections list` shows it. */
export async function markHalted(
  client: pg.Client,
  environment: Environment,
  owned: readonly Checkpoint[],
  because: string,
): Promise<void> {
  await client.query(
    `update read_store.projections as known set state = 'halted', halted_because = $4, updated_at = now()
      from unnest($2::text[], $3::bigint[]) as own (name, epoch)
      where known.environment = $1 and known.name = own.name and known.epoch = own.epoch
        and ${serves}`,
    [environment, owned.map(({ name }) => name), owned.map(({ epoch }) => epoch), because],
  );
}

/** The channel on which runners announce, at each commit, how far their read models are. */
export const checkpointChannel = 'atelier_checkpoint';

/** Belongs in the transaction of the batch: PostgreSQL delivers it at the commit, and never earlier. */
export function announce(
  environment: Environment,
  position: bigint,
  readModels: readonly string[],
): pg.QueryConfig {
  return {
    name: 'announce checkpoint',
    text: 'select pg_notify($1, $2)',
    values: [checkpointChannel, `${environment}:${position}:${readModels.join(',')}`],
  };
}

/** Undefined for a payload that no runner sent. */
export function parseNews(payload: string | undefined) {
  const [, environment, position, names] = /^(\w+):(-?\d+):([\w,-]+)$/.exec(payload ?? '') ?? [];
  if (environment === undefined || position === undefined || names === undefined) return undefined;
  return { environment, position: BigInt(position), readModels: names.split(',') };
}
