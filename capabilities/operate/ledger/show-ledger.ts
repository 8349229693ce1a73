import { readForwards } from '#application/aggregate.js';
import { AccountLedger, type Movement } from '../audit/ledger/statement.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { IntegerField, TextField } from '#validation/fields.js';
import { defineCall, type AsJson } from '#operator-calls/call.js';
import { OfTenantInEnvironment } from '#operator-calls/input.js';
import { printLine, printProperties, printTable } from '#operator-calls/output.js';
import { happenedBy, happenedThrough } from '../log-reading.js';
import { CallRefused } from '#operator-calls/call-refused.js';

class AccountAtMoment extends OfTenantInEnvironment {
  @TextField({
    description: 'A time, or a revision of the account: the state at that moment.',
    min: 1,
    max: 40,
  })
  at?: string;

  @TextField({
    description:
      'A position of the log: the state at that moment, so that you can see several accounts at one instant.',
    min: 1,
    max: 18,
  })
  position?: string;

  @IntegerField({ description: 'How many of the last movements. Default: all.', min: 0, max: 1_000_000 })
  limit?: number;
}

interface AccountThen {
  readonly environment: Environment;
  readonly ledger: AccountLedger;
  readonly movements: readonly Movement[];
  /** When and at which position its last event was recorded. */
  readonly recordedAt: string;
  readonly position: bigint;
}

/** The last movements that are printed; `--json` has them all. */
const mostPrinted = 50;

/** Shows an account as it was at some moment: it reads only the account's own events up to then. */
export const showLedger = defineCall({
  name: 'ledger show',
  route: 'GET /tenants/:tenant/account',
  may: ['read'],
  summary: 'The balance and the ledger of a tenant, now or at any earlier moment, line by line',
  input: AccountAtMoment,
  async run(operator, { tenant, env, at, position, limit }) {
    const byTime = happenedBy(at);
    const byPosition = happenedThrough(position);
    const isWithin = (event: RecordedEvent) => byTime(event) && byPosition(event);
    const accounts = [];
    for (const environment of await operator.accountsOf(tenant, env)) {
      const then = await accountThen(operator.store, environment, tenant, isWithin);
      if (then) accounts.push(describe(then, limit));
    }
    if (accounts.length > 0) return { tenant_id: tenant, at: at ?? null, accounts };
    const moment = at ?? `position ${position}`;
    throw new CallRefused(`tenant ${tenant} had no account yet at ${moment}`, 'RESOURCE_NOT_FOUND');
  },
  print: ({ accounts }) => accounts.forEach(print),
});

async function accountThen(
  store: EventStore,
  environment: Environment,
  tenant: string,
  isWithin: (event: RecordedEvent) => boolean,
): Promise<AccountThen | undefined> {
  const ledger = new AccountLedger();
  const movements: Movement[] = [];
  let last: RecordedEvent | undefined;
  read: for await (const events of readForwards(store, streamName(environment, 'account', tenant), 0n)) {
    for (const event of events) {
      if (!isWithin(event)) break read;
      const movement = ledger.apply(event);
      if (movement) movements.push(movement);
      last = event;
    }
  }
  if (!last) return undefined;
  const { position, metadata } = last;
  return { environment, ledger, movements, recordedAt: metadata.recordedAt, position };
}

function describe(
  { environment, ledger, movements, recordedAt, position }: AccountThen,
  limit = movements.length,
) {
  const { balance, revision, status, name, plan, open } = ledger;
  return {
    env: environment,
    name,
    plan,
    status,
    balance,
    revision,
    recorded_at: recordedAt,
    position,
    movements_total: movements.length,
    open_charges: [...open.values()].map(({ chargeId, jobId, operation, amount, at }) => ({
      charge_id: chargeId,
      job_id: jobId,
      operation,
      amount,
      at,
    })),
    movements: movements.slice(movements.length - Math.min(limit, movements.length)).map((movement) => ({
      at: movement.at,
      revision: movement.revision,
      kind: movement.kind,
      id: movement.id,
      job_id: movement.jobId,
      operation: movement.operation,
      label: movement.label,
      reason: movement.reason,
      credits_delta: movement.creditsDelta,
      balance_after: movement.balanceAfter,
      request_id: movement.requestId,
    })),
  };
}

function print(account: AsJson<ReturnType<typeof describe>>): void {
  const { env, status, balance, open_charges: open, revision, recorded_at: recordedAt, movements } = account;
  printProperties([
    ['environment', env],
    ['status', status],
    ['balance', balance],
    ['open charges', open.length],
    ['revision', `${revision}, recorded ${recordedAt}`],
  ]);
  printLine();
  const earlier = account.movements_total - Math.min(mostPrinted, movements.length);
  if (earlier > 0) printLine(`${earlier} earlier movements: --json has them all`);
  printTable(movements.slice(-mostPrinted), {
    revision: (movement) => movement.revision,
    time: (movement) => movement.at,
    movement: (movement) => movement.reason ?? movement.label ?? movement.kind,
    id: (movement) => movement.id,
    job: (movement) => movement.job_id,
    credits: (movement) => movement.credits_delta,
    balance: (movement) => movement.balance_after,
  });
  printLine();
}
