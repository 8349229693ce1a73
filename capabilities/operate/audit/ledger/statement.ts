import type { EventOfType } from '#domain/events.js';
import { decode } from '#domain/stored-events.js';
import type { RecordedEvent } from '#event-store/event-store.js';

/** The kinds of movements that change a balance. */
export type MovementKind = 'pack' | 'subscription' | 'correction' | 'charge' | 'refund';

export interface Movement {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The revision in the account's stream. */
  readonly revision: number;
  readonly kind: MovementKind;
  /** The id of the purchase or the charge. */
  readonly id: string;
  readonly jobId: string | null;
  readonly operation: string | null;
  /** The label of a purchase, the reason of a correction, the endpoint of a charge. */
  readonly label: string | null;
  /** Why a charge was given back. */
  readonly reason: string | null;
  readonly requestId: string;
  readonly creditsDelta: number;
  readonly balanceAfter: number;
}

type Debit = EventOfType<'CreditsDebited'>['data'];

/** An account's own history as a list of movements with the balance after each. Takes the events in their order. */
export class AccountLedger {
  balance = 0;
  /** The last event that was taken; −1: none yet. */
  revision = -1;
  status: 'unopened' | 'active' | 'suspended' = 'unopened';
  name = '';
  plan = '';
  /** Made, and neither settled nor refunded. */
  readonly open = new Map<string, Debit>();

  /** @returns the movement, where the event is one */
  apply(recorded: RecordedEvent): Movement | undefined {
    const event = decode(recorded);
    this.revision = Number(recorded.revision);
    switch (event.type) {
      case 'AccountOpened':
        this.status = 'active';
        this.name = event.data.name;
        this.plan = event.data.plan;
        return undefined;
      case 'PlanChanged':
        this.plan = event.data.plan;
        return undefined;
      case 'AccountSuspended':
        this.status = 'suspended';
        return undefined;
      case 'AccountReactivated':
        this.status = 'active';
        return undefined;
      case 'CreditsPurchased': {
        const { purchaseId: id, kind, label, amount } = event.data;
        return this.move(recorded, event.data.at, { ...blank, kind, id, label, creditsDelta: amount });
      }
      case 'CreditsCorrected': {
        const { correctionId: id, reason: label, amount } = event.data;
        const line = { ...blank, kind: 'correction' as const, id, label, creditsDelta: -amount };
        return this.move(recorded, event.data.at, line);
      }
      case 'CreditsDebited': {
        const { chargeId: id, endpoint: label, amount, at } = event.data;
        this.open.set(id, event.data);
        return this.move(recorded, at, {
          ...of(event.data),
          kind: 'charge',
          id,
          label,
          creditsDelta: -amount,
        });
      }
      case 'CreditsSettled':
        this.open.delete(event.data.chargeId);
        return undefined;
      case 'CreditsRefunded': {
        const { chargeId: id, jobId, amount, reason, at } = event.data;
        const charge = this.open.get(id);
        this.open.delete(id);
        const known = charge ? { ...of(charge), label: charge.endpoint } : { ...blank, jobId };
        return this.move(recorded, at, { ...known, kind: 'refund', id, reason, creditsDelta: amount });
      }
      default:
        return undefined;
    }
  }

  private move(
    { metadata, revision }: RecordedEvent,
    at: string,
    movement: Omit<Movement, 'at' | 'revision' | 'requestId' | 'balanceAfter'>,
  ): Movement {
    this.balance += movement.creditsDelta;
    const requestId = metadata.requestId;
    return { ...movement, at, revision: Number(revision), requestId, balanceAfter: this.balance };
  }
}

const blank = { jobId: null, operation: null, label: null, reason: null };

function of({ jobId, operation }: Debit) {
  return { ...blank, jobId, operation };
}

export interface Period {
  /** Milliseconds. The period begins with the first movement at or after this time. */
  readonly from?: number | undefined;
  /** The period ends before the first movement at or after this time. */
  readonly to?: number | undefined;
}

export type StatementLine =
  | { readonly kind: 'opening'; readonly balance: number; readonly revision: number }
  | { readonly kind: 'movement'; readonly movement: Movement }
  | { readonly kind: 'closing'; readonly balance: number; readonly revision: number };

/**
 * An account's statement over a period: opening balance, movements, closing balance. Consecutive periods have no gap or
 * overlap, even if the writers' clocks differ: the time of an event is the latest time of any event up to it.
 * @throws Error if opening balance and movements do not sum to the closing balance
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
      // Every event of an account says when it happened.
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

/** A period without movements still has a balance. */
function* close(ledger: AccountLedger, sum: number | undefined): Generator<StatementLine> {
  if (sum === undefined) yield opening(ledger, ledger.balance);
  else if (sum !== ledger.balance) {
    throw new Error(`opening balance and movements come to ${sum}, but the balance is ${ledger.balance}`);
  }
  yield { kind: 'closing', balance: ledger.balance, revision: ledger.revision };
}
