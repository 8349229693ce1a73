import { maxCredits } from '../account/manage-account.js';
import { accept, reject, type Decision } from '../decision.js';
import type { OperationEvent } from './operation.events.js';

/** What the operator decided about one workflow. Until then it costs what the workflow table says, and is enabled. */
export interface Operation {
  /** Null: as the workflow table says. */
  readonly credits: number | null;
  readonly enabled: boolean;
}

export type OperationRejection = { readonly code: 'INVALID_PRICE'; readonly message: string };

export const initialOperation: Operation = { credits: null, enabled: true };

export function evolveOperation(state: Operation, event: OperationEvent): Operation {
  switch (event.type) {
    case 'OperationPriced':
      return { ...state, credits: event.data.credits };
    case 'OperationEnabled':
      return { ...state, enabled: true };
    case 'OperationDisabled':
      return { ...state, enabled: false };
    default:
      return event satisfies never;
  }
}

/** Sets what a dispatch costs from now on. A charge that was made keeps its amount. The same price changes nothing. */
export function priceOperation(
  command: { readonly credits: number; readonly reason: string; readonly at: string },
  operation: Operation,
): Decision<OperationEvent, OperationRejection> {
  const { credits } = command;
  // A charge of 0 credits could not be told from none.
  if (!Number.isInteger(credits) || credits < 1 || credits > maxCredits) {
    const message = `a price is a whole number of credits from 1 to ${maxCredits}`;
    return reject({ code: 'INVALID_PRICE', message });
  }
  return operation.credits === credits ? accept() : accept({ type: 'OperationPriced', data: { ...command } });
}

/** Enabling an enabled operation changes nothing. */
export function enableOperation(
  command: { readonly reason: string; readonly at: string },
  operation: Operation,
): Decision<OperationEvent> {
  return operation.enabled ? accept() : accept({ type: 'OperationEnabled', data: { ...command } });
}

/** Disabling a disabled operation changes nothing. */
export function disableOperation(
  command: { readonly reason: string; readonly at: string },
  operation: Operation,
): Decision<OperationEvent> {
  return operation.enabled ? accept({ type: 'OperationDisabled', data: { ...command } }) : accept();
}
