import { erasedText } from '#domain/erased.js';
import type { Environment } from '#domain/streams.js';
import type { Queries } from './data-source.js';

/** Tables beside the read models that hold words about jobs: no fold clears them. */
export interface ErasesWords {
  /** Names the place in the steps of an erasure, in the plural: `messages of webhooks`. */
  readonly place: string;
  /** Empties the tables of what they say about these jobs. May be repeated. @returns how many rows it changed */
  erase(database: Queries, erased: ErasedJobs): Promise<number>;
}

export interface ErasedJobs {
  readonly environment: Environment;
  readonly tenant: string;
  readonly jobIds: readonly string[];
}

/**
 * The answers name ids and amounts only, but the hash of a body would confirm a guess of the body. A repeat of such a
 * request is then refused, because its body is another one.
 */
export const idempotentAnswers: ErasesWords = {
  place: 'idempotent answers',
  async erase(database, { environment, tenant, jobIds }) {
    const { rows } = await database.query(
      `update ${environment}.idempotency_keys set body_hash = $3
         where tenant = $1 and job_id = any($2) and body_hash <> $3 returning 1`,
      [tenant, jobIds, erasedText],
    );
    return rows.length;
  },
};
