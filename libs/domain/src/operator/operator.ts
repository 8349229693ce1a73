import { accept, reject, type Decision } from '../decision.js';
import type { EventOfType } from '../events.js';
import type { OperatorEvent } from './operator.events.js';

export type AddedOperator = EventOfType<'OperatorAdded'>['data'];

/**
 * An operator is `unknown` until OperatorAdded, then `active` until OperatorRevoked. A name that was revoked can be added
 * again, with a new token and another role. No event marks the moment of expiry: who asks looks at the clock.
 */
export type OperatorState =
  | { readonly status: 'unknown' }
  | { readonly status: 'active' | 'revoked'; readonly operator: AddedOperator };

export type OperatorRejection =
  { readonly code: 'OPERATOR_EXISTS' } | { readonly code: 'OPERATOR_NOT_FOUND' };

export const initialOperator: OperatorState = { status: 'unknown' };

export function evolveOperator(state: OperatorState, event: OperatorEvent): OperatorState {
  switch (event.type) {
    case 'OperatorAdded':
      return { status: 'active', operator: event.data };
    case 'OperatorRevoked':
      if (state.status === 'unknown') throw new Error('OperatorRevoked of an operator who was never added');
      return { ...state, status: 'revoked' };
    default:
      return event satisfies never;
  }
}

/** An operator whose token has expired is added anew as one that was revoked is. */
export function addOperator(
  command: AddedOperator,
  state: OperatorState,
): Decision<OperatorEvent, OperatorRejection> {
  if (state.status === 'active' && state.operator.expiresAt > command.at)
    return reject({ code: 'OPERATOR_EXISTS' });
  return accept({ type: 'OperatorAdded', data: { ...command } });
}

/** Revoking a revoked operator changes nothing. */
export function revokeOperator(
  command: { readonly reason: string; readonly at: string },
  state: OperatorState,
): Decision<OperatorEvent, OperatorRejection> {
  if (state.status === 'unknown') return reject({ code: 'OPERATOR_NOT_FOUND' });
  return state.status === 'revoked' ? accept() : accept({ type: 'OperatorRevoked', data: { ...command } });
}
