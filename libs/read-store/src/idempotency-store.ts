import type pg from 'pg';
import {
  IdempotencyLeaseLost,
  idempotencyLeaseMs,
  idempotencyRetentionHours,
  type DispatchIds,
  type IdempotencyBeginning,
  type IdempotencyLease,
  type IdempotencyStore,
  type IdempotentRequest,
} from '#application/dispatch/idempotency.js';
import type { Environment } from '#domain/streams.js';
import { sqlState } from '#platform/postgres.js';
import { retry } from '#platform/retry.js';

interface TakenKey {
  readonly request_id: string;
  readonly job_id: string;
  /** The lease's end, as text. */
  readonly holder: string;
}

interface StoredKey {
  readonly body_hash: string;
  readonly status: 'running' | 'answered';
  readonly response_body: unknown;
}

/**
 * Idempotency keys in Postgres. A key is `running` from its first use on, under a lease that expires; `answered`
 * ends it. Forgetting after the retention time happens when the key is used again, and by {@link forgetExpired}.
 * The lease's end, as the database wrote it, names the holder: every taking of the lease sets another one.
 */
export class PostgresIdempotencyStore implements IdempotencyStore {
  constructor(
    private readonly pool: pg.Pool,
    private readonly leaseMs = idempotencyLeaseMs,
  ) {}

  async begin(request: IdempotentRequest, ids: DispatchIds): Promise<IdempotencyBeginning> {
    const started = await persistently(() => this.#start(request, ids));
    if (started !== undefined) return { kind: 'new', ids, lease: { request, holder: started } };

    const row = await this.#find(request);
    // Forgotten between the two statements: the caller may simply come again.
    if (!row) return { kind: 'in-use' };
    if (row.body_hash !== request.bodyHash) return { kind: 'reused' };
    if (row.status === 'answered') return { kind: 'answered', answer: row.response_body };

    const taken = await this.#takeOver(request);
    if (!taken) return { kind: 'in-use' };
    const earlier = { requestId: taken.request_id, jobId: taken.job_id };
    return { kind: 'resume', ids: earlier, lease: { request, holder: taken.holder } };
  }

  async reassign({ request, holder }: IdempotencyLease, ids: DispatchIds): Promise<void> {
    const { rowCount } = await this.pool.query(
      `update ${this.#table(request)} set request_id = $5, job_id = $6 where ${held}`,
      [...heldBy(request, holder), ids.requestId, ids.jobId],
    );
    if (rowCount !== 1) throw new IdempotencyLeaseLost('another try goes on with this Idempotency-Key');
  }

  async answer({ request, holder }: IdempotencyLease, answer: unknown): Promise<void> {
    await persistently(() =>
      this.pool.query({
        name: `answer ${request.environment}`,
        text: `update ${this.#table(request)} set status = 'answered', response_body = $5 where ${held}`,
        values: [...heldBy(request, holder), JSON.stringify(answer)],
      }),
    );
  }

  async release({ request, holder }: IdempotencyLease): Promise<void> {
    await persistently(() =>
      this.pool.query(
        `update ${this.#table(request)} set locked_until = '-infinity' where ${held}`,
        heldBy(request, holder),
      ),
    );
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
   * The lease's end when this is the first use of the key, or its first after the retention time. Where the answer to
   * an earlier try was lost, the row is there under our own request id, and is ours.
   */
  async #start(request: IdempotentRequest, ids: DispatchIds): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ holder: string }>({
      name: `begin ${request.environment}`,
      text: `insert into ${this.#table(request)} as known
               (tenant, endpoint, key, body_hash, request_id, job_id, status, locked_until)
             values ($1, $2, $3, $4, $5, $6, 'running', ${leaseEnd('$7')})
             on conflict (tenant, endpoint, key) do update set
               body_hash = excluded.body_hash, request_id = excluded.request_id, job_id = excluded.job_id,
               status = 'running', response_body = null, locked_until = excluded.locked_until, created_at = now()
             where known.created_at < now() - make_interval(hours => $8)
               or (known.request_id = excluded.request_id and known.status = 'running')
             returning locked_until::text as holder`,
      values: [
        ...nameOf(request),
        request.bodyHash,
        ids.requestId,
        ids.jobId,
        this.leaseMs,
        idempotencyRetentionHours,
      ],
    });
    return rows[0]?.holder;
  }

  async #find(request: IdempotentRequest): Promise<StoredKey | undefined> {
    const { rows } = await this.pool.query<StoredKey>({
      name: `find ${request.environment}`,
      text: `select body_hash, status, response_body from ${this.#table(request)}
             where tenant = $1 and endpoint = $2 and key = $3`,
      values: nameOf(request),
    });
    return rows[0];
  }

  /**
   * Of many that find an expired lease at the same time, the row's lock lets one through. The ids are those of that
   * moment: a try in between may have gone on under others.
   */
  async #takeOver(request: IdempotentRequest): Promise<TakenKey | undefined> {
    const { rows } = await this.pool.query<TakenKey>(
      `update ${this.#table(request)} set locked_until = ${leaseEnd('$4')}
       where tenant = $1 and endpoint = $2 and key = $3 and status = 'running' and locked_until < clock_timestamp()
       returning request_id, job_id, locked_until::text as holder`,
      [...nameOf(request), this.leaseMs],
    );
    return rows[0];
  }

  #table({ environment }: IdempotentRequest): string {
    return `${environment}.idempotency_keys`;
  }
}

const held = `tenant = $1 and endpoint = $2 and key = $3 and status = 'running' and locked_until = $4::timestamptz`;

function leaseEnd(milliseconds: string): string {
  return `clock_timestamp() + make_interval(secs => ${milliseconds} / 1000.0)`;
}

function nameOf({ tenant, endpoint, key }: IdempotentRequest): string[] {
  return [tenant, endpoint, key];
}

function heldBy(request: IdempotentRequest, holder: string): string[] {
  return [...nameOf(request), holder];
}

/**
 * Repeats a statement that changes nothing the second time: a connection that broke under it would otherwise leave
 * the key locked until the lease ends. What the database itself refuses is not repeated, unless it is going down
 * (class 57) or lost the connection (class 08).
 */
function persistently<Result>(statement: () => Promise<Result>): Promise<Result> {
  return retry(statement, {
    ...{ attempts: 5, firstPauseMs: 100 },
    mayPass: (error) => /^(?:57|08)/.test(sqlState(error) ?? '57'),
  });
}
