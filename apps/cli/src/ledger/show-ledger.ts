import { readForwards } from '#application/aggregate.js';
import { AccountLedger, type Movement } from '#audit/ledger/statement.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { Operator } from '../operator.js';
import { printJson, printLine, printProperties, printTable } from '../output.js';
import { happenedBy } from '../places.js';
import { CliError, type OutputOptions } from '../verb.js';

export interface ShowLedgerOptions extends OutputOptions {
  readonly tenant: string;
  readonly env?: Environment;
  readonly at?: string;
}

interface AccountThen {
  readonly environment: Environment;
  readonly ledger: AccountLedger;
  readonly movements: readonly Movement[];
  /** When its last event was recorded. */
  readonly recordedAt: string;
}

/** The last movements that are printed; `--json` has them all. */
const mostPrinted = 50;

/** An account as it was at some moment: nothing but its own events up to then. */
export async function showLedger({ tenant, env, at, json }: ShowLedgerOptions): Promise<void> {
  const isWithin = happenedBy(at);
  await using operator = await Operator.connect();
  const found: AccountThen[] = [];
  for (const environment of await operator.accountsOf(tenant, env)) {
    const then = await accountThen(operator.store, environment, tenant, isWithin);
    if (then) found.push(then);
  }
  if (found.length === 0) throw new CliError(`tenant ${tenant} had no account yet at ${at}`);
  if (json) printJson({ tenant_id: tenant, at: at ?? null, accounts: found.map(describe) });
  else found.forEach(print);
}

async function accountThen(
  store: EventStore,
  environment: Environment,
  tenant: string,
  isWithin: (event: RecordedEvent) => boolean,
): Promise<AccountThen | undefined> {
  const ledger = new AccountLedger();
  const movements: Movement[] = [];
  let recordedAt: string | undefined;
  read: for await (const events of readForwards(store, streamName(environment, 'account', tenant), 0n)) {
    for (const event of events) {
      if (!isWithin(event)) break read;
      const movement = ledger.apply(event);
      if (movement) movements.push(movement);
      ({ recordedAt } = event.metadata);
    }
  }
  return recordedAt === undefined ? undefined : { environment, ledger, movements, recordedAt };
}

function describe({ environment, ledger, movements, recordedAt }: AccountThen) {
  const { balance, revision, status, name, plan, open } = ledger;
  return {
    ...{ env: environment, name, plan, status, balance, revision, recorded_at: recordedAt },
    open_charges: [...open.values()].map(({ chargeId, jobId, operation, amount, at }) => ({
      ...{ charge_id: chargeId, job_id: jobId, operation, amount, at },
    })),
    movements: movements.map((movement) => ({
      ...{ at: movement.at, revision: movement.revision, kind: movement.kind, id: movement.id },
      ...{ job_id: movement.jobId, operation: movement.operation, label: movement.label },
      ...{ reason: movement.reason, credits_delta: movement.creditsDelta },
      ...{ balance_after: movement.balanceAfter, request_id: movement.requestId },
    })),
  };
}

function print(then: AccountThen): void {
  const { environment, ledger, movements, recordedAt } = then;
  const { balance, revision, status, open } = ledger;
  printProperties([
    ['environment', environment],
    ['status', status],
    ['balance', balance],
    ['open charges', open.size],
    ['revision', `${revision}, recorded ${recordedAt}`],
  ]);
  printLine();
  const earlier = movements.length - mostPrinted;
  if (earlier > 0) printLine(`${earlier} earlier movements: --json has them all`);
  printTable(movements.slice(-mostPrinted), {
    revision: (movement) => movement.revision,
    time: (movement) => movement.at,
    movement: (movement) => movement.reason ?? movement.label ?? movement.kind,
    id: (movement) => movement.id,
    job: (movement) => movement.jobId,
    credits: (movement) => movement.creditsDelta,
    balance: (movement) => movement.balanceAfter,
  });
  printLine();
}
