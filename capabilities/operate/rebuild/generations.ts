import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import { onlyRow } from '#platform/postgres.js';
import { transact } from '#read-store/commit-queue.js';
import { anchorOf, type AnchorColumns } from '#read-store/log-fit.js';
import {
  announce,
  isServing,
  serves,
  type Checkpoint,
  type GenerationState,
} from '#read-store/projection-checkpoints.js';
import { showGeneration } from '#read-store/entity-table.js';
import type { ReadModel } from '#read-store/read-model.js';

export type GenerationId = Pick<Checkpoint, 'name' | 'generation'>;

export interface Generation extends Checkpoint {
  readonly state: GenerationState;
  readonly haltedBecause: string | null;
  readonly hasTable: boolean;
}

/** The texts in `halted_because` for generations that wait; `projections list` shows them. */
const waitsBecause = {
  comparing: 'made to be compared',
  complete: 'complete, waits for a switch',
  differing: 'its rows differ from the live ones',
} as const satisfies Partial<Record<GenerationState, string>>;

/** By name, oldest first. */
export async function loadGenerations(
  client: pg.ClientBase,
  environment: Environment,
): Promise<Map<string, Generation[]>> {
  const { rows } = await client.query<Generation>(
    `select name, generation, version, position, epoch, state, halted_because as "haltedBecause",
        to_regclass(format('%I.%I', environment, name || '_g' || generation)) is not null as "hasTable"
      from read_store.projections where environment = $1 order by name, generation`,
    [environment],
  );
  return Map.groupBy(rows, ({ name }) => name);
}

export function servingOf(generations: readonly Generation[] = []): Generation | undefined {
  return generations.find(isServing);
}

/**
 * Adds a new generation, without its table. Call it in the transaction that makes the table. Its epochs begin
 * at the present time in milliseconds. So if an operator has deleted the checkpoint of an earlier generation
 * with this number, a projector that still works on that one does not take this one for it. The insert itself
 * chooses the number, because a projector that finds no generation begins the first one by itself.
 * @param lastTable the highest number that a table has
 */
export async function addGeneration(
  client: pg.ClientBase,
  environment: Environment,
  { name, version }: ReadModel<object>,
  lastTable: number,
  state: 'building' | 'comparing',
): Promise<number> {
  const { rows } = await client.query<{ generation: number }>(
    `insert into read_store.projections (environment, name, generation, version, epoch, state, halted_because)
      select $1, $2, greatest($3, coalesce(max(generation), 0)) + 1, $4, extract(epoch from clock_timestamp()) * 1000, $5, $6
      from read_store.projections where environment = $1 and name = $2
      returning generation`,
    [environment, name, lastTable, version, state, state === 'comparing' ? waitsBecause.comparing : null],
  );
  return onlyRow({ rows }).generation;
}

/** From now on, earlier processes can no longer commit to this generation. */
export async function takeOverGeneration(
  client: pg.ClientBase,
  environment: Environment,
  { name, generation }: GenerationId,
): Promise<Checkpoint> {
  const { rows } = await client.query<Checkpoint & AnchorColumns>(
    `update read_store.projections set epoch = epoch + 1, updated_at = now()
      where environment = $1 and name = $2 and generation = $3 and not ${serves}
      returning name, generation, version, position, epoch, event_position, event_id`,
    [environment, name, generation],
  );
  const [checkpoint] = rows;
  if (!checkpoint)
    throw new Error(`${environment} ${name} has no generation ${generation} that could be filled`);
  const { event_position, event_id, ...kept } = checkpoint;
  return { ...kept, anchor: anchorOf({ event_position, event_id }) };
}

/** Records why the program did not switch to a complete generation. */
export async function markComplete(
  client: pg.ClientBase,
  environment: Environment,
  { name, generation }: GenerationId,
  state: 'complete' | 'differing',
): Promise<void> {
  await client.query(
    `update read_store.projections set state = $4, halted_because = $5, updated_at = now()
      where environment = $1 and name = $2 and generation = $3 and state in ('building', 'complete', 'differing')`,
    [environment, name, generation, state, waitsBecause[state]],
  );
}

/** Drops the generation's table, and forgets what it parked. */
export async function dropGeneration(
  client: pg.ClientBase,
  environment: Environment,
  generation: GenerationId,
): Promise<void> {
  await transact(client, () => forgetGeneration(client, environment, generation));
}

/** Drops its table and everything that is known about it. Call it in a transaction. */
export async function forgetGeneration(
  client: pg.ClientBase,
  environment: Environment,
  { name, generation }: GenerationId,
): Promise<void> {
  await client.query(`drop table if exists ${environment}.${name}_g${generation}`);
  for (const table of ['projections', 'parked_events'])
    await client.query(
      `delete from read_store.${table} where environment = $1 and name = $2 and generation = $3`,
      [environment, name, generation],
    );
}

/** A generation that serves from now on. */
export interface Successor {
  readonly model: ReadModel<object>;
  readonly generation: number;
  readonly position: bigint | null;
}

/**
 * Milliseconds that the switch waits for a lock. A reader that runs longer than this delays the switch; the
 * switch never delays readers for longer.
 */
const viewLockMs = 500;

export interface ServingRow {
  readonly name: string;
  readonly generation: number;
  readonly position: bigint | null;
  readonly epoch: bigint;
}

/**
 * The generations that readers see, by read model. `for update` holds their checkpoints until the transaction
 * ends, so the projector's next commit waits. It takes the locks in the same order as the projector.
 */
export async function readServing(
  client: pg.ClientBase,
  environment: Environment,
  lock: '' | 'for update' = '',
): Promise<Map<string, ServingRow>> {
  const { rows } = await client.query<ServingRow>(
    `select name, generation, position, epoch from read_store.projections
      where environment = $1 and ${serves} order by name ${lock}`,
    [environment],
  );
  return new Map(rows.map((row) => [row.name, row]));
}

/**
 * Lets the successors serve. It changes their views and checkpoints, and gives all read models of the
 * environment new epochs. A running projector is then refused its next commit, and takes up the new
 * generations. Call it in the transaction that holds the checkpoints. Unlike the projector's commits, the
 * switch is durable before it is answered.
 */
export async function switchTo(
  client: pg.ClientBase,
  environment: Environment,
  successors: readonly Successor[],
): Promise<void> {
  const names = successors.map(({ model }) => model.name);
  await client.query(`set local lock_timeout = ${viewLockMs}`);
  await client.query('set local synchronous_commit = on');
  await client.query(
    `update read_store.projections set epoch = epoch + 1, updated_at = now(),
        state = case when name = any($2) then 'retired' else state end,
        halted_because = case when name = any($2) then null else halted_because end
      where environment = $1 and ${serves}`,
    [environment, names],
  );
  for (const { model, generation, position } of successors) {
    await client.query(
      `update read_store.projections set state = 'live', halted_because = null, updated_at = now(),
          epoch = (select max(epoch) + 1 from read_store.projections where environment = $1 and name = $2)
        where environment = $1 and name = $2 and generation = $3`,
      [environment, model.name, generation],
    );
    await showGeneration(client, environment, model, generation);
    if (position !== null) await client.query(announce(environment, position, [model.name]));
  }
}
