import type pg from 'pg';
import type { RateLimitStore } from '#application/limits/rate-limit-store.js';

/**
 * The buckets of the rate limit in Postgres: exact over any number of processes, because the row's lock puts the
 * requests of one credential in order, and because the only clock is the database's. The same arithmetic as the
 * application's leaky bucket.
 */
export class PostgresRateLimitStore implements RateLimitStore {
  constructor(private readonly pool: pg.Pool) {}

  /** Counts one request. @returns the level that it left, in requests */
  async pour(
    credential: string,
    perMinute: number,
  ): Promise<{ readonly passed: boolean; readonly level: number }> {
    const { rows } = await this.pool.query<{ passed: boolean; level: number }>({
      name: 'pour rate limit',
      text: pour,
      values: [credential, perMinute],
    });
    // An insert that updates on conflict always returns its row.
    return rows[0] as { passed: boolean; level: number };
  }

  /** Forgets buckets that have been empty for long. @returns how many */
  async forgetEmpty(): Promise<number> {
    const { rowCount } = await this.pool.query(
      `delete from read_store.rate_limits where poured_at < now() - interval '10 minutes'`,
    );
    return rowCount ?? 0;
  }
}

// clock_timestamp() is taken in the update itself, that is behind the row's lock: a request that waited for others
// drains the bucket by the time that it waited. `offset 0` keeps the planner from taking the time twice.
const pour = `
  insert into read_store.rate_limits as known (credential, level, poured_at, passed)
  values ($1, 1, clock_timestamp(), true)
  on conflict (credential) do update set (level, poured_at, passed) = (
    select case when passes then drained + 1 else drained end, poured_at, passes
    from (
      select poured_at, drained, drained + 1 <= $2::double precision + 1e-6 as passes
      from (
        select poured_at,
          greatest(0, least(known.level, $2::double precision)
            - extract(epoch from poured_at - known.poured_at)::double precision * $2::double precision / 60) as drained
        from (select greatest(known.poured_at, clock_timestamp()) as poured_at offset 0) as clock
        offset 0
      ) as bucket
      offset 0
    ) as judged
  )
  returning passed, level`;
