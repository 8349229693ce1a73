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
import { erasedText } from '#domain/erased.js';
import type { Process, Scheduler } from '../kernel/scheduler.js';

interface Row {
  readonly tenant: string;
  bodyHash: string;
  readonly createdAt: number;
  ids: DispatchIds;
  answer: string | undefined;
  lockedUntil: number;
  holder: string;
}

/** Idempotency-Keys that all clients share, by the rules of `PostgresIdempotencyStore`. */
export class IdempotencyKeys {
  private readonly rows = new Map<string, Row>();
  private holders = 0;

  constructor(private readonly scheduler: Scheduler) {}

  /** A client of the keys: each call takes one turn to the database and one back. */
  clientIn(process: Process): IdempotencyStore {
    const call = async <T>(work: () => T): Promise<T> => {
      await this.scheduler.turn(process);
      const result = work();
      await this.scheduler.turn(process);
      return result;
    };
    const ofHeld = (lease: IdempotencyLease, change: (row: Row) => void) =>
      call(() => {
        const row = this.held(lease);
        if (row) change(row);
      });
    return {
      begin: (request, ids) => call(() => this.begin(request, ids)),
      reopen: (request, lost) => call(() => this.reopen(request, lost)),
      reassign: (lease, ids) =>
        call(() => {
          const row = this.held(lease);
          if (!row) throw new IdempotencyLeaseLost('another try goes on with this Idempotency-Key');
          row.ids = ids;
        }),
      answer: (lease, answer) => ofHeld(lease, (row) => (row.answer = JSON.stringify(answer))),
      forget: (lease) => ofHeld(lease, () => this.rows.delete(nameOf(lease.request))),
      release: (lease) => ofHeld(lease, (row) => (row.lockedUntil = -Infinity)),
    };
  }

  private begin(request: IdempotentRequest, ids: DispatchIds): IdempotencyBeginning {
    const { now } = this.scheduler;
    const name = nameOf(request);
    const row = this.rows.get(name);
    if (!row || row.createdAt < now - idempotencyRetentionHours * 3_600_000) {
      const { tenant, bodyHash } = request;
      const started = { tenant, bodyHash, createdAt: now, ids, answer: undefined };
      const taken = { ...started, lockedUntil: now + idempotencyLeaseMs, holder: this.nextHolder() };
      this.rows.set(name, taken);
      return { kind: 'new', ids, lease: { request, holder: taken.holder } };
    }
    if (row.bodyHash !== request.bodyHash) return { kind: 'reused' };
    if (row.answer !== undefined) return { kind: 'answered', answer: JSON.parse(row.answer) as unknown };
    if (row.lockedUntil >= now) return { kind: 'in-use' };
    return this.resume(row, request);
  }

  /** The row, if this lease holds it. */
  private held({ request, holder }: IdempotencyLease): Row | undefined {
    const row = this.rows.get(nameOf(request));
    return row?.holder === holder && row.answer === undefined ? row : undefined;
  }

  private reopen(request: IdempotentRequest, { jobId }: DispatchIds): IdempotencyBeginning {
    const row = this.rows.get(nameOf(request));
    if (row?.answer === undefined || row.ids.jobId !== jobId) return { kind: 'in-use' };
    row.answer = undefined;
    return this.resume(row, request);
  }

  /** Forgets the same answers as `atelier checkpoints reset`. */
  forgetLost(isLost: (jobId: string) => boolean): void {
    for (const [name, { ids, answer }] of this.rows)
      if (answer !== undefined && isLost(ids.jobId)) this.rows.delete(name);
  }

  /** Answers the statement of `idempotentAnswers`. @returns the changed rows */
  eraseBodies(tenant: string, jobIds: readonly string[]): unknown[] {
    const changed = [...this.rows.values()].filter(
      (row) => row.tenant === tenant && jobIds.includes(row.ids.jobId) && row.bodyHash !== erasedText,
    );
    for (const row of changed) row.bodyHash = erasedText;
    return changed;
  }

  /** The hashes of bodies that are stored for the job. */
  bodiesOf(jobId: string): string[] {
    return [...this.rows.values()].filter(({ ids }) => ids.jobId === jobId).map(({ bodyHash }) => bodyHash);
  }

  private resume(row: Row, request: IdempotentRequest): IdempotencyBeginning {
    row.lockedUntil = this.scheduler.now + idempotencyLeaseMs;
    row.holder = this.nextHolder();
    return { kind: 'resume', ids: row.ids, lease: { request, holder: row.holder } };
  }

  private nextHolder(): string {
    this.holders += 1;
    return String(this.holders);
  }
}

function nameOf({ environment, tenant, endpoint, key }: IdempotentRequest): string {
  return JSON.stringify([environment, tenant, endpoint, key]);
}
