import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Findings } from '../findings.js';
import type { AccountSums } from '../history/accounts.js';

/** What `GET /v1/credits` shows: the balance that the service itself arrives at, and the last event that it knows. */
export interface ShownBalance {
  readonly balance: number;
  readonly position: bigint;
}

/** Undefined: the service knows no such account. */
export type ReadBalance = (environment: Environment, tenant: string) => Promise<ShownBalance | undefined>;

/** Of a ledger, when its rows were read: the balance of each account by its stream. */
export type BalancesAtCheckpoint = ReadonlyMap<string, number>;

/** The rows of a tenant sum to the balance that the tenant had at the ledger's checkpoint. */
export function checkLedgerSums(
  environment: Environment,
  sums: ReadonlyMap<string, number>,
  balances: BalancesAtCheckpoint,
  findings: Findings,
): void {
  const streams = new Set([
    ...balances.keys(),
    ...[...sums.keys()].map((t) => `${environment}.account-${t}`),
  ]);
  for (const stream of streams) {
    findings.checked('ledger-sums');
    const expected = balances.get(stream) ?? 0;
    const found = sums.get(stream.slice(`${environment}.account-`.length)) ?? 0;
    if (expected === found) continue;
    const table = `${environment}.ledger`;
    const message = 'the rows of the ledger do not sum to the balance';
    findings.wrong({ check: 'ledger-sums', message, stream, table, expected, found });
  }
}

/** Service and history must agree on each account. What was written since the audit began is looked up. */
export async function checkShownBalances(
  store: EventStore,
  accounts: Iterable<AccountSums>,
  readBalance: ReadBalance,
  findings: Findings,
): Promise<void> {
  for (const account of accounts) {
    const { environment, tenant, stream } = account;
    findings.checked('balance-shown');
    const shown = await readBalance(environment, tenant);
    const { balance, revision } = await balanceAt(store, account, shown?.position ?? account.position);
    if (shown?.balance === balance) continue;
    const message = 'the service shows another balance than history gives';
    const found = shown?.balance ?? 'no account';
    findings.wrong({ check: 'balance-shown', message, stream, revision, expected: balance, found });
  }
}

async function balanceAt(store: EventStore, { stream, balance, revision }: AccountSums, position: bigint) {
  for (;;) {
    const slice = await store.readStream(stream, { from: BigInt(revision + 1), limit: 1000 });
    const events = slice.kind === 'found' ? slice.events : [];
    for (const event of events) {
      if (event.position > position) return { balance, revision };
      revision = Number(event.revision);
      balance += effectOf(event);
    }
    if (events.length === 0) return { balance, revision };
  }
}

/** What an event of an account does to its balance, in credits. */
function effectOf({ type, data }: { readonly type: string; readonly data: unknown }): number {
  const { amount } = data as { amount: number };
  if (type === 'CreditsPurchased' || type === 'CreditsRefunded') return amount;
  return type === 'CreditsDebited' ? -amount : 0;
}
