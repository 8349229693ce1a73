import type { EventOfType } from '#domain/events.js';
import { streamName, type Environment } from '#domain/streams.js';
import { UnprovenEvent, type EventStore, type RecordedEvent } from '#event-store/event-store.js';
import type { AuditFindings } from '../findings.js';
import type { AccountSums } from '../history/accounts.js';
import type { History } from '../history/history.js';
import type { KeptAnswer } from './read-store-snapshot.js';

/** The answer of `GET /v1/credits`: the balance that the service itself computes, and the last event that it knows. */
export interface ShownBalance {
  readonly balance: number;
  readonly position: bigint;
}

/** Undefined: the service knows no such account. */
export type ReadBalance = (environment: Environment, tenant: string) => Promise<ShownBalance | undefined>;

/** At the checkpoint of a ledger: the balance of each tenant. */
export type BalancesAtCheckpoint = ReadonlyMap<string, number>;

/** The rows of a tenant sum to the balance that the tenant had at the ledger's checkpoint. */
export function checkLedgerSums(
  environment: Environment,
  sums: ReadonlyMap<string, number>,
  balances: BalancesAtCheckpoint,
  findings: AuditFindings,
): void {
  const table = `${environment}.ledger`;
  for (const tenant of new Set([...balances.keys(), ...sums.keys()])) {
    findings.checked('ledger-sums');
    const expected = balances.get(tenant) ?? 0;
    const found = sums.get(tenant) ?? 0;
    if (expected === found) continue;
    const stream = streamName(environment, 'account', tenant);
    const message = 'the rows of the ledger do not sum to the balance';
    findings.wrong({ check: 'ledger-sums', message, stream, table, expected, found });
  }
}

/** Checks that service and history agree on each account. Events from after the audit's start are looked up. */
export async function checkShownBalances(
  store: EventStore,
  accounts: Iterable<AccountSums>,
  readBalance: ReadBalance,
  findings: AuditFindings,
): Promise<void> {
  for (const account of accounts) {
    const { environment, tenant, stream } = account;
    findings.checked('balance-shown');
    const shown = await readBalance(environment, tenant).catch(unlessUnproven);
    // The service refuses to decide because of an unproven event. The check of writers names that event.
    if (shown === 'unproven') continue;
    const { balance, revision } = await balanceAt(store, account, shown?.position ?? account.position);
    if (shown?.balance === balance) continue;
    const message = 'the service shows a balance that differs from history';
    const found = shown?.balance ?? 'no account';
    findings.wrong({ check: 'balance-shown', message, stream, revision, expected: balance, found });
  }
}

function unlessUnproven(error: unknown): 'unproven' {
  if (error instanceof UnprovenEvent) return 'unproven';
  throw error;
}

async function balanceAt(store: EventStore, { stream, balance, revision }: AccountSums, position: bigint) {
  for (;;) {
    const slice = await store.readStream(stream, {
      from: BigInt(revision + 1),
      limit: 1000,
      unprovenToo: true,
    });
    const events = slice.kind === 'found' ? slice.events : [];
    for (const event of events) {
      if (event.position > position) return { balance, revision };
      revision = Number(event.revision);
      balance += effectOf(event);
    }
    if (events.length === 0) return { balance, revision };
  }
}

/** The effect of an event on the balance of its account, in credits. The event may be unreadable. */
function effectOf({ type, data }: RecordedEvent): number {
  // The events about credits say how many.
  const { amount } = data as { amount: number };
  if (type === 'CreditsPurchased' || type === 'CreditsRefunded') return amount;
  return type === 'CreditsDebited' || type === 'CreditsCorrected' ? -amount : 0;
}

/**
 * Checks that each dispatch which was answered with 202 has happened, and that each stored answer belongs to
 * its own request. The answers of dispatches with an Idempotency-Key are stored for a day.
 */
export class AuditedAnswers {
  private readonly byJob: ReadonlyMap<string, readonly KeptAnswer[]>;

  constructor(
    readonly environment: Environment,
    answers: readonly KeptAnswer[],
    private readonly findings: AuditFindings,
  ) {
    this.byJob = Map.groupBy(answers, ({ jobId }) => jobId);
  }

  /** Takes the first event of each job. */
  apply({ jobId, tenant, requestId, creditsCost }: EventOfType<'JobQueued'>['data']): void {
    for (const answer of this.byJob.get(jobId) ?? []) {
      const expected = { tenant, jobId, requestId, creditsCost };
      const found = { ...expected, ...pick(answer), tenant: answer.tenant };
      const isOwn = answer.ownJobId === jobId && answer.ownRequestId === requestId;
      if (isOwn && JSON.stringify(expected) === JSON.stringify(found)) continue;
      this.wrong(answer, expected, { ...found, row: [answer.ownJobId, answer.ownRequestId] });
    }
  }

  /** Call it at the end of the history. */
  end({ jobs }: History): void {
    for (const [jobId, answers] of this.byJob) {
      for (const answer of answers) {
        this.findings.checked('answered');
        const { state } = jobs.of(this.environment, jobId);
        if (state === 'unknown' || state === 'voided')
          this.wrong(answer, 'JobQueued', state === 'unknown' ? 'no such job' : state);
      }
      const [first, second] = answers;
      if (first && second) this.wrong(second, 'a job of its own', `that of ${JSON.stringify(first.key)}`);
    }
  }

  private wrong({ endpoint, key, jobId }: KeptAnswer, expected: unknown, found: unknown): void {
    const message = `${endpoint} was answered with this job under the Idempotency-Key ${JSON.stringify(key)}`;
    const stream = streamName(this.environment, 'job', jobId);
    this.findings.wrong({ check: 'answered', message, stream, expected, found });
  }
}

function pick({ jobId, requestId, creditsCost }: KeptAnswer) {
  return { jobId, requestId, creditsCost };
}
