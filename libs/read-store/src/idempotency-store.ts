import type pg from 'pg';
import {
  hashKey,
  IdempotencyLeaseLost,
  idempotencyLeaseMs,
  idempotencyRenewalMs,
  idempotencyRetentionHours,
  type DispatchIds,
  type IdempotencyBeginning,
  type IdempotencyLease,
  type IdempotencyStore,
  type IdempotentRequest,
} from '#application/dispatch/idempotency.js';
import { environments, type Environment } from '#domain/streams.js';
import { sqlState } from '#platform/postgres.js';
import { retry } from '#platform/retry.js';

interface StoredKey {
  readonly body_hash: string;
  readonly status: 'running' | 'answered';
  readonly response_body: unknown;
}

interface StartedKey {
  readonly holder: string;
  readonly request_id: string;
  readonly job_id: string;
  readonly body_hash: string;
}

/** A lease that this process holds. Each renewal sets a new end, which is also the lease's name. */
interface HeldLease {
  readonly request: IdempotentRequest;
  holder: string;
  /** Ticks of the timer that it has lived through. */
  ticks: number;
}

/**
 * Idempotency keys in Postgres. A key is `running` from its first use on, under a lease that expires; its
 * answer makes it `answered`. The lease's end, as the database wrote it, names the holder: each time a process
 * takes the lease, it sets another end.
 *
 * A lease is short, so that the key of a process that died is soon free. A timer renews the leases of requests
 * that are still running, all in one statement. Most requests are answered before the timer has seen them
 * twice, and cost no renewal. If a process was paused for longer than its leases last, other holders have them,
 * and it renews nothing.
 */
export class PostgresIdempotencyStore implements IdempotencyStore {
  private readonly leases = new Map<IdempotencyLease, HeldLease>();
  private timer: NodeJS.Timeout | undefined;
  private renewing: Promise<void> | undefined;

  constructor(
    private readonly pool: pg.Pool,
    private readonly leaseMs = idempotencyLeaseMs,
  ) {}

  /** Ends the renewals. The leases that are left run out. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.leases.clear();
    await this.renewing;
  }

  async begin(request: IdempotentRequest, ids: DispatchIds): Promise<IdempotencyBeginning> {
    const started = await persistently(() => this.start(request, ids));
    if (started) return this.started(request, ids, started);

    const row = await this.find(request);
    // Forgotten between the two statements: the caller may simply come again.
    if (!row) return { kind: 'in-use' };
    if (row.body_hash !== request.bodyHash) return { kind: 'reused' };
    if (row.status === 'answered') return { kind: 'answered', answer: row.response_body };

    const taken = await this.takeOver(request);
    if (!taken) return { kind: 'in-use' };
    const earlier = { requestId: taken.request_id, jobId: taken.job_id };
    return { kind: 'resume', ids: earlier, lease: this.hold(request, taken.holder) };
  }

  async reopen(request: IdempotentRequest, lost: DispatchIds): Promise<IdempotencyBeginning> {
    const { rows } = await this.pool.query<{ holder: string }>(
      `update ${tableOf(request)} set status = 'running', response_body = null, locked_until = ${leaseEnd('$5')}
       where tenant = $1 and endpoint = $2 and key = $3 and status = 'answered' and job_id = $4
       returning locked_until::text as holder`,
      [...nameOf(request), lost.jobId, this.leaseMs],
    );
    const [taken] = rows;
    return taken
      ? { kind: 'resume', ids: lost, lease: this.hold(request, taken.holder) }
      : { kind: 'in-use' };
  }

  async reassign(lease: IdempotencyLease, ids: DispatchIds): Promise<void> {
    await this.renewing;
    const { request, holder } = lease;
    const { rowCount } = await this.pool.query(
      `update ${tableOf(request)} set request_id = $5, job_id = $6 where ${held}`,
      [...nameOf(request), holder, ids.requestId, ids.jobId],
    );
    if (rowCount !== 1) throw new IdempotencyLeaseLost('another try goes on with this Idempotency-Key');
  }

  async answer(lease: IdempotencyLease, answer: unknown): Promise<void> {
    const answered = (table: string) => `update ${table} set status = 'answered', response_body = $5`;
    await this.end(lease, 'answer', answered, JSON.stringify(answer));
  }

  async forget(lease: IdempotencyLease): Promise<void> {
    await this.end(lease, 'forget', (table) => `delete from ${table}`);
  }

  async release(lease: IdempotencyLease): Promise<void> {
    await this.end(lease, 'release', (table) => `update ${table} set locked_until = '-infinity'`);
  }

  /** Keys older than the retention time go. @returns how many */
  async forgetExpired(environment: Environment): Promise<number> {
    const { rowCount } = await this.pool.query(
      `delete from ${environment}.idempotency_keys where created_at < now() - make_interval(hours => $1)`,
      [idempotencyRetentionHours],
    );
    return rowCount ?? 0;
  }

  /**
   * The lease's end when this is the first use of the key, or its first after the retention time. If the answer
   * to an earlier try was lost, the row has our own request id, and is ours. The same statement checks whether
   * a job has this key already: one look-up in an index, and no further round trip.
   */
  private async start(request: IdempotentRequest, ids: DispatchIds): Promise<StartedKey | undefined> {
    const { rows } = await this.pool.query<StartedKey>({
      name: `begin ${request.environment}`,
      text: `insert into ${tableOf(request)} as known
               (tenant, endpoint, key, body_hash, request_id, job_id, status, locked_until)
             select $1, $2, $3, coalesce(job.idempotency_body, $4), coalesce(job.request_id, $5),
                 coalesce(job.public_id, $6), 'running', ${leaseEnd('$7')}
               from (select 1) as this left join lateral (
                 select public_id, request_id, idempotency_body from ${request.environment}.jobs
                   where tenant = $1 and idempotency_key = $9
                     and created_at >= now() - make_interval(hours => $8)
                   order by created_at desc limit 1
               ) as job on true
             on conflict (tenant, endpoint, key) do update set
               body_hash = excluded.body_hash, request_id = excluded.request_id, job_id = excluded.job_id,
               status = 'running', response_body = null, locked_until = excluded.locked_until, created_at = now()
             where known.created_at < now() - make_interval(hours => $8)
               or (known.request_id = excluded.request_id and known.status = 'running')
             returning locked_until::text as holder, request_id, job_id, body_hash`,
      values: [
        ...nameOf(request),
        request.bodyHash,
        ids.requestId,
        ids.jobId,
        this.leaseMs,
        idempotencyRetentionHours,
        hashKey(request),
      ],
    });
    return rows[0];
  }

  /** Begins with our own ids, or resumes with the ids of the job that had the key before the table lost it. */
  private async started(
    request: IdempotentRequest,
    ids: DispatchIds,
    { holder, request_id: requestId, job_id: jobId, body_hash: bodyHash }: StartedKey,
  ): Promise<IdempotencyBeginning> {
    const lease = this.hold(request, holder);
    if (jobId === ids.jobId) return { kind: 'new', ids, lease };
    if (bodyHash === request.bodyHash)
      return { kind: 'resume', ids: { requestId, jobId }, lease, recalled: true };
    await this.release(lease);
    return { kind: 'reused' };
  }

  private async find(request: IdempotentRequest): Promise<StoredKey | undefined> {
    const { rows } = await this.pool.query<StoredKey>({
      name: `find ${request.environment}`,
      text: `select body_hash, status, response_body from ${tableOf(request)}
             where tenant = $1 and endpoint = $2 and key = $3`,
      values: nameOf(request),
    });
    return rows[0];
  }

  /**
   * If several requests find an expired lease at the same time, the row's lock lets only one take it. Returns
   * the row's current ids, because another try may have changed them in between.
   */
  private async takeOver(request: IdempotentRequest) {
    const { rows } = await this.pool.query<{ request_id: string; job_id: string; holder: string }>(
      `update ${tableOf(request)} set locked_until = ${leaseEnd('$4')}
       where tenant = $1 and endpoint = $2 and key = $3 and status = 'running' and locked_until < clock_timestamp()
       returning request_id, job_id, locked_until::text as holder`,
      [...nameOf(request), this.leaseMs],
    );
    return rows[0];
  }

  private hold(request: IdempotentRequest, holder: string): HeldLease {
    const lease = { request, holder, ticks: 0 };
    this.leases.set(lease, lease);
    this.timer ??= setInterval(() => this.tick(), idempotencyRenewalMs).unref();
    return lease;
  }

  /**
   * Stops renewing the lease, and writes its last change. It waits for a running renewal, which may still give
   * the lease another name.
   */
  private async end(
    lease: IdempotencyLease,
    name: string,
    change: (table: string) => string,
    ...values: string[]
  ): Promise<void> {
    this.leases.delete(lease);
    if (this.renewing) await this.renewing;
    const { request, holder } = lease;
    await persistently(() =>
      this.pool.query({
        name: `${name} ${request.environment}`,
        text: `${change(tableOf(request))} where ${held}`,
        values: [...nameOf(request), holder, ...values],
      }),
    );
  }

  private tick(): void {
    const old = [...this.leases.values()].filter((lease) => lease.ticks++ > 0);
    if (old.length === 0 || this.renewing) return;
    // A failed renewal is tried again at the next tick; a lease that has expired by then is lost.
    this.renewing = this.renew(old)
      .catch(() => undefined)
      .finally(() => (this.renewing = undefined));
  }

  private async renew(leases: readonly HeldLease[]): Promise<void> {
    const requests = leases.map(({ request }) => request);
    const { rows } = await this.pool.query<{ place: number; holder: string }>(renewal, [
      requests.map(({ environment }) => environment),
      requests.map(({ tenant }) => tenant),
      requests.map(({ endpoint }) => endpoint),
      requests.map(({ key }) => key),
      leases.map(({ holder }) => holder),
      this.leaseMs,
    ]);
    const renewed = new Map(rows.map(({ place, holder }) => [place, holder]));
    for (const [index, lease] of leases.entries()) {
      const holder = renewed.get(index + 1);
      if (holder === undefined) this.leases.delete(lease);
      else lease.holder = holder;
    }
  }
}

function tableOf({ environment }: IdempotentRequest): string {
  return `${environment}.idempotency_keys`;
}

const held = `tenant = $1 and endpoint = $2 and key = $3 and status = 'running' and locked_until = $4::timestamptz`;

function leaseEnd(milliseconds: string): string {
  return `clock_timestamp() + make_interval(secs => ${milliseconds} / 1000.0)`;
}

const renewal = `
  with lease as (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
      with ordinality as lease(environment, tenant, endpoint, key, locked_until, place)
  ), ${environments.map((environment) => `${environment}_renewed as (${renewalIn(environment)})`).join(', ')}
  ${environments.map((environment) => `select place::integer, holder from ${environment}_renewed`).join(' union all ')}`;

function renewalIn(environment: Environment): string {
  return `
    update ${environment}.idempotency_keys as known set locked_until = ${leaseEnd('$6')}
      from lease where lease.environment = '${environment}' and known.tenant = lease.tenant
        and known.endpoint = lease.endpoint and known.key = lease.key
        and known.status = 'running' and known.locked_until = lease.locked_until
    returning lease.place, known.locked_until::text as holder`;
}

function nameOf({ tenant, endpoint, key }: IdempotentRequest): string[] {
  return [tenant, endpoint, key];
}

/**
 * Repeats a statement that changes nothing the second time, so that a broken connection does not leave the key
 * locked until the lease ends. Only two kinds of the database's errors may pass: a shutdown (class 57) and a
 * lost connection (08).
 */
function persistently<Result>(statement: () => Promise<Result>): Promise<Result> {
  return retry(statement, {
    attempts: 5,
    firstPauseMs: 100,
    mayPass: (error) => /^(?:57|08)/.test(sqlState(error) ?? '57'),
  });
}
