import type pg from 'pg';
import {
  leavesIn,
  slotMs,
  windowMs,
  type Counted,
  type RateLimitStore,
  type UsedOnce,
} from '#application/limits/rate-limit-store.js';
import { onlyRow } from '#platform/postgres.js';
import { inTime } from '#platform/retry.js';
import type { Queries } from './data-source.js';

/** Every request waits for its count. */
const patienceMs = 1_000;
const tooLate = () => new Error(`the counts gave no answer within ${patienceMs} ms`);

/** The row that the statement below returns. */
interface Judged {
  readonly passed: boolean;
  readonly at: number;
  readonly times: number[];
  readonly requests: number[];
}

function countedOf({ passed, at, times, requests }: Judged): Counted {
  const used = requests.reduce((sum, each) => sum + each, 0);
  return { passed, used, firstLeavesMs: leavesIn(times[0], at), lastLeavesMs: leavesIn(times.at(-1), at) };
}

/** Counts one request on any connection. For processes that rarely count and have no pool. */
export async function countRequestIn(
  database: Queries,
  credential: string,
  perMinute: number,
): Promise<Counted> {
  const { rows } = await database.query(countRequest, [credential, perMinute]);
  // The statement names and types its columns.
  return countedOf(onlyRow({ rows: rows as Judged[] }));
}

/**
 * The requests of the last minute in Postgres. The count is exact over any number of processes: the row's lock
 * orders the requests of one credential, and the database's clock is the only one. The arithmetic is the same
 * as in the application's `RequestWindow`.
 */
export class PostgresRateLimitStore implements RateLimitStore, UsedOnce {
  constructor(private readonly pool: pg.Pool) {}

  async count(credential: string, perMinute: number): Promise<Counted> {
    const counted = () =>
      this.pool.query<Judged>({
        name: 'count request',
        text: countRequest,
        values: [credential, perMinute],
      });
    return countedOf(onlyRow(await inTime(counted, patienceMs, tooLate)));
  }

  async use(credential: string, until: Date): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'use once',
      text: `insert into read_store.rate_limits (credential, times, requests, counted_at, passed)
             values ($1, '{}', '{}', $2, true) on conflict do nothing`,
      values: [credential, until.getTime()],
    });
    return rowCount === 1;
  }

  /** Deletes credentials that have not been used for long. @returns how many */
  async forgetIdle(): Promise<number> {
    const { rowCount } = await this.pool.query(
      `delete from read_store.rate_limits where counted_at < extract(epoch from now() - interval '10 minutes') * 1000`,
    );
    return rowCount ?? 0;
  }
}

const nowMs = `extract(epoch from clock_timestamp())::double precision * 1000`;

// The update itself reads clock_timestamp(), after it has the row's lock. So a request that waited counts at
// the time of its decision. `offset 0` keeps the planner from reading the clock twice. If the clock goes back,
// the row's time stands still. If it goes back by more than a window, the later counts are dropped.
const countRequest = `
  insert into read_store.rate_limits as known (credential, times, requests, counted_at, passed)
  select $1, array[now], array[1], now, true from (select ${nowMs} as now offset 0) as clock
  on conflict (credential) do update set (times, requests, counted_at, passed) = (
    select
      case when not passes then times when joins then times[:last - 1] || at else times || at end,
      case when not passes then requests when joins then requests[:last - 1] || requests[last] + 1 else requests || 1 end,
      at, passes
    from (
      select at, last, kept.times, kept.requests, used < $2::integer as passes,
        coalesce(floor(kept.times[last] / ${slotMs}) = floor(at / ${slotMs}), false) as joins
      from (
          select case when known.counted_at > now + ${windowMs} then now else greatest(known.counted_at, now) end as at
          from (select ${nowMs} as now offset 0) as clock
          offset 0
        ) as clock,
        lateral (
          select count(*)::integer as last, coalesce(sum(slot.requests), 0) as used,
            coalesce(array_agg(slot.time order by slot.time), '{}') as times,
            coalesce(array_agg(slot.requests order by slot.time), '{}') as requests
          from unnest(known.times, known.requests) as slot(time, requests) where slot.time > at - ${windowMs} and slot.time <= at
        ) as kept
      offset 0
    ) as judged
  )
  returning passed, counted_at as at, times, requests`;
