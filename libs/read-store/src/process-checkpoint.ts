import type pg from 'pg';
import type { Environment } from '#domain/streams.js';

/** How far a process has come, and whose it is. */
export interface ProcessCheckpoint {
  readonly environment: Environment;
  readonly process: string;
  /** Null: it has handled nothing yet. */
  readonly position: bigint | null;
  readonly epoch: bigint;
}

/** From now on a commit of the runner before is refused. */
export async function takeOverProcess(
  client: pg.Client,
  environment: Environment,
  process: string,
): Promise<ProcessCheckpoint> {
  const { rows } = await client.query<{ position: bigint | null; epoch: bigint }>(
    `insert into ${environment}.process_checkpoints as known (process, epoch) values ($1, 1)
      on conflict (process) do update set epoch = known.epoch + 1, updated_at = now()
      returning position, epoch`,
    [process],
  );
  return { environment, process, ...rows[0]! };
}

/** Moves the checkpoint; fails, and with it the transaction it is in, unless the epoch still is the owner's. */
export function moveProcess(
  { environment, process, epoch }: ProcessCheckpoint,
  position: bigint,
): pg.QueryConfig {
  return {
    name: `move process ${environment}`,
    text: `with moved as (
        update ${environment}.process_checkpoints set position = $3, updated_at = now()
        where process = $1 and epoch = $2 returning process
      )
      select read_store.require((select count(*) from moved) = 1, 'another runner has taken over the process ' || $1)`,
    values: [process, epoch, position],
  };
}
