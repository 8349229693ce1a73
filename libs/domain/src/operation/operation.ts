import { maxCredits } from '../account/manage-account.js';
import { accept, reject, type Decision } from '../decision.js';
import type { OperationEvent } from './operation.events.js';

/** The operator's decisions on one workflow. By default it has the workflow table's price and is enabled. */
export interface Operation {
  /** Null: the workflow table's price. */
  readonly credits: number | null;
  readonly enabled: boolean;
  /** Prices that count from an instant on, in order; absent: none was ever scheduled. */
  readonly scheduled?: readonly ScheduledPrice[];
}

export interface ScheduledPrice {
  readonly credits: number;
  readonly from: string;
}

export type OperationRejection = {
  readonly code: 'INVALID_PRICE' | 'INVALID_MOMENT';
  readonly message: string;
};

export const initialOperation: Operation = { credits: null, enabled: true };

export function evolveOperation(state: Operation, event: OperationEvent): Operation {
  switch (event.type) {
    case 'OperationPriced':
      return { ...state, credits: event.data.credits, ...withoutThePast(state, event.data.at) };
    case 'OperationPriceScheduled':
      return { ...state, scheduled: rescheduled(state, event.data) };
    case 'OperationEnabled':
      return { ...state, enabled: true };
    case 'OperationDisabled':
      return { ...state, enabled: false };
    default:
      return event satisfies never;
  }
}

/** Setting a price removes the scheduled prices that began before it. */
function withoutThePast({ scheduled }: Operation, at: string): Pick<Operation, 'scheduled'> {
  return scheduled ? { scheduled: scheduled.filter(({ from }) => from > at) } : {};
}

function rescheduled(
  { scheduled = [] }: Operation,
  { from, credits }: { readonly from: string; readonly credits: number | null },
): ScheduledPrice[] {
  const others = scheduled.filter((each) => each.from !== from);
  if (credits === null) return others;
  return [...others, { credits, from }].sort((one, other) => (one.from < other.from ? -1 : 1));
}

/** The price of a dispatch at an instant, ISO 8601 in UTC; null: the workflow table's price. */
export function priceAt({ credits, scheduled = [] }: Operation, at: string): number | null {
  return scheduled.findLast(({ from }) => from <= at)?.credits ?? credits;
}

const mostScheduled = 20;

/**
 * Sets the price of a dispatch from an instant on, or removes a scheduled price. Processes need no signal at
 * that instant: they know it in advance and use their clocks.
 */
export function schedulePrice(
  command: {
    readonly credits: number | null;
    readonly from: string;
    readonly reason: string;
    readonly at: string;
  },
  operation: Operation,
): Decision<OperationEvent, OperationRejection> {
  const { credits, from, at } = command;
  if (credits !== null && !isPrice(credits)) return reject(noPrice);
  if (from <= at)
    return reject({
      code: 'INVALID_MOMENT',
      message: 'a scheduled price must begin in the future; for now, set the price itself',
    });
  const { scheduled = [] } = operation;
  const known = scheduled.find((each) => each.from === from);
  if ((known?.credits ?? null) === credits) return accept();
  if (!known && scheduled.filter((each) => each.from > at).length >= mostScheduled)
    return reject({
      code: 'INVALID_MOMENT',
      message: `at most ${mostScheduled} prices are scheduled at a time`,
    });
  return accept({ type: 'OperationPriceScheduled', data: { ...command } });
}

// A charge of 0 credits would look like no charge.
const isPrice = (credits: number) => Number.isInteger(credits) && credits >= 1 && credits <= maxCredits;
const noPrice: OperationRejection = {
  code: 'INVALID_PRICE',
  message: `a price is a whole number of credits from 1 to ${maxCredits}`,
};

/**
 * Sets the price of a dispatch from now on. Existing charges keep their amount. The same price changes nothing.
 */
export function priceOperation(
  command: { readonly credits: number; readonly reason: string; readonly at: string },
  operation: Operation,
): Decision<OperationEvent, OperationRejection> {
  const { credits } = command;
  if (!isPrice(credits)) return reject(noPrice);
  // A scheduled price may count by now, so both are compared.
  const isSame = operation.credits === credits && priceAt(operation, command.at) === credits;
  return isSame ? accept() : accept({ type: 'OperationPriced', data: { ...command } });
}

export function enableOperation(
  command: { readonly reason: string; readonly at: string },
  operation: Operation,
): Decision<OperationEvent> {
  return operation.enabled ? accept() : accept({ type: 'OperationEnabled', data: { ...command } });
}

export function disableOperation(
  command: { readonly reason: string; readonly at: string },
  operation: Operation,
): Decision<OperationEvent> {
  return operation.enabled ? accept({ type: 'OperationDisabled', data: { ...command } }) : accept();
}
