import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import { announce } from '../checkpoint-channel.js';
import type { ReadModel } from '../read-model.js';
import { showGeneration } from '../read-model-tables.js';

/** A generation that is to serve from now on. */
export interface Successor {
  readonly model: ReadModel<object>;
  readonly generation: number;
  readonly position: bigint | null;
}

/** Readers that run longer than this keep a switch off, rather than the switch everybody who wants to read. */
const viewLockMs = 500;

export interface ServingRow {
  readonly name: string;
  readonly generation: number;
  readonly position: bigint | null;
  readonly epoch: bigint;
}

/** What readers see, by read model. */
export async function readServing(
  client: pg.ClientBase,
  environment: Environment,
  lock: '' | 'for update' = '',
): Promise<Map<string, ServingRow>> {
  const { rows } = await client.query<ServingRow>(
    `select name, generation, position, epoch from read_store.projections
      where environment = $1 and state in ('live', 'halted') order by name ${lock}`,
    [environment],
  );
  return new Map(rows.map((row) => [row.name, row]));
}

/**
 * Holds the checkpoints of all serving generations of the environment until the transaction ends: the projector's next
 * commit waits. In the order in which the projector takes them.
 */
export function holdServing(
  client: pg.ClientBase,
  environment: Environment,
): Promise<Map<string, ServingRow>> {
  return readServing(client, environment, 'for update');
}

/**
 * Lets the successors serve: their views, their checkpoints, and new epochs for all read models of the environment, at
 * which the projector that runs is refused its next commit and takes up what it then finds. Belongs in the transaction
 * of {@link holdServing}; durable before it is answered, unlike the projector's commits.
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
      where environment = $1 and state in ('live', 'halted')`,
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
