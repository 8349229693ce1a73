import { accept, reject, type Decision } from '#domain/decision.js';
import type { EventOfType } from '#domain/events.js';
import type { OperatorEvent } from './operator.events.js';

export type AddedOperator = EventOfType<'OperatorAdded'>['data'];

/**
 * An operator is `unknown` until OperatorAdded, then `active` until OperatorRevoked. A name that was revoked can be added
 * again, with a new token and another role. No event marks the moment of expiry: each reader looks at the clock.
 */
export type OperatorState =
  | { readonly status: 'unknown' }
  | { readonly status: 'active' | 'revoked'; readonly operator: AddedOperator };

export type OperatorRejection =
  | { readonly code: 'OPERATOR_EXISTS' }
  | { readonly code: 'OPERATOR_NOT_FOUND' }
  /** Neither the organisation nor an operator has given them a role. */
  | { readonly code: 'OPERATOR_WITHOUT_ROLE' };

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

/** An operator whose token has expired can be added again, like one who was revoked. */
export function addOperator(
  command: AddedOperator,
  state: OperatorState,
): Decision<OperatorEvent, OperatorRejection> {
  if (state.status === 'active' && state.operator.expiresAt > command.at)
    return reject({ code: 'OPERATOR_EXISTS' });
  return accept({ type: 'OperatorAdded', data: { ...command } });
}

export interface Welcome extends Omit<AddedOperator, 'role' | 'tokenHash'> {
  /** Undefined if the organisation names none. */
  readonly role: AddedOperator['role'] | undefined;
}

/**
 * Welcomes a person whom their organisation has let in. If it names their role, that is their role from now on. If it does
 * not, an operator must have added them before. A person who was revoked here stays out until they are added again. The
 * name of an operator with a token is taken.
 */
export function welcomeOperator(
  { role, ...command }: Welcome,
  state: OperatorState,
): Decision<OperatorEvent, OperatorRejection> {
  if (state.status === 'revoked') return reject({ code: 'OPERATOR_NOT_FOUND' });
  const known = state.status === 'active' ? state.operator : undefined;
  if (known && known.tokenHash !== null) return reject({ code: 'OPERATOR_EXISTS' });
  const isActive = known !== undefined && known.expiresAt > command.at;
  if (role === undefined) return isActive ? accept() : reject({ code: 'OPERATOR_WITHOUT_ROLE' });
  if (isActive && known.role === role && known.expiresAt >= command.expiresAt) return accept();
  const expiresAt = isActive && known.expiresAt > command.expiresAt ? known.expiresAt : command.expiresAt;
  return accept({ type: 'OperatorAdded', data: { ...command, role, expiresAt, tokenHash: null } });
}

/** Revoking a revoked operator changes nothing. */
export function revokeOperator(
  command: { readonly reason: string; readonly at: string },
  state: OperatorState,
): Decision<OperatorEvent, OperatorRejection> {
  if (state.status === 'unknown') return reject({ code: 'OPERATOR_NOT_FOUND' });
  return state.status === 'revoked' ? accept() : accept({ type: 'OperatorRevoked', data: { ...command } });
}
