import type { RecordedEvent } from '#event-store/event-store.js';
import { AccountLedger, type Movement } from './movements.js';

export interface Period {
  /** Milliseconds. The period begins with the first movement at or after this, */
  readonly from?: number | undefined;
  /** and ends before the first one at or after this. */
  readonly to?: number | undefined;
}

export type StatementLine =
  | { readonly kind: 'opening'; readonly balance: number; readonly revision: number }
  | { readonly kind: 'movement'; readonly movement: Movement }
  | { readonly kind: 'closing'; readonly balance: number; readonly revision: number };

/**
 * An account's statement over a period: opening balance, movements, closing balance. Periods that follow each other
 * fit without gap or overlap, whatever the clocks of those who wrote the events said: the time of an event is the
 * latest that any event up to it has.
 * @throws Error when opening balance and movements do not come to the closing balance
 */
export async function* statement(
  pages: AsyncIterable<readonly RecordedEvent[]>,
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: Period,
): AsyncGenerator<StatementLine> {
  const ledger = new AccountLedger();
  let time = Number.NEGATIVE_INFINITY;
  let sum: number | undefined;
  for await (const page of pages) {
    for (const event of page) {
      time = Math.max(time, Date.parse((event.data as { at: string }).at));
      if (time >= to) return yield* close(ledger, sum);
      if (time >= from && sum === undefined) yield opening(ledger, (sum = ledger.balance));
      const movement = ledger.apply(event);
      if (sum === undefined || !movement) continue;
      sum += movement.creditsDelta;
      yield { kind: 'movement', movement };
    }
  }
  yield* close(ledger, sum);
}

function opening({ revision }: AccountLedger, balance: number): StatementLine {
  return { kind: 'opening', balance, revision };
}

/** A period in which nothing happened has a balance all the same. */
function* close(ledger: AccountLedger, sum: number | undefined): Generator<StatementLine> {
  if (sum === undefined) yield opening(ledger, ledger.balance);
  else if (sum !== ledger.balance) {
    throw new Error(`opening balance and movements come to ${sum}, and the balance is ${ledger.balance}`);
  }
  yield { kind: 'closing', balance: ledger.balance, revision: ledger.revision };
}
