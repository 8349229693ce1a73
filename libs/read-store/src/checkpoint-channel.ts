import type pg from 'pg';
import type { Environment } from '#domain/streams.js';

/** The channel on which runners say, at each commit, how far their read models are. */
export const checkpointChannel = 'atelier_checkpoint';

export interface CheckpointNews {
  readonly environment: string;
  readonly position: bigint;
  readonly readModels: readonly string[];
}

/** Belongs in the transaction of the batch: PostgreSQL delivers it at the commit, and never before. */
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

/** Undefined for a payload of another making. */
export function parseNews(payload: string | undefined): CheckpointNews | undefined {
  const match = /^(\w+):(-?\d+):([\w,-]+)$/.exec(payload ?? '');
  if (!match) return undefined;
  const [, environment, position, names] = match as unknown as [string, string, string, string];
  return { environment, position: BigInt(position), readModels: names.split(',') };
}
