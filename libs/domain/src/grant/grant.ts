import { accept, reject, type Decision } from '../decision.js';
import type { EventOfType } from '../events.js';
import type { GrantEvent } from './grant.events.js';

export type ProposedGrant = EventOfType<'GrantProposed'>['data'];

/**
 * A grant of credits is `none` until it is proposed. Below the limit it is `approved` at once. Above the limit
 * it is `proposed` until another operator approves or declines it. An approved grant is credited once: the
 * account remembers its id.
 */
export type Grant =
  | { readonly status: 'none' }
  | { readonly status: 'proposed' | 'approved' | 'declined'; readonly grant: ProposedGrant };

export type GrantRejection =
  | { readonly code: 'GRANT_NOT_FOUND' }
  | { readonly code: 'GRANT_DECLINED' }
  | { readonly code: 'GRANT_APPROVED' }
  /** The reference or the key belongs to another grant. */
  | { readonly code: 'GRANT_DIFFERS'; readonly earlier: ProposedGrant }
  | { readonly code: 'SECOND_OPERATOR_NEEDED' };

export const initialGrant: Grant = { status: 'none' };

export function evolveGrant(state: Grant, event: GrantEvent): Grant {
  if (event.type === 'GrantProposed')
    return { status: event.data.needsApproval ? 'proposed' : 'approved', grant: event.data };
  if (state.status === 'none') throw new Error(`${event.type} of a grant that was never proposed`);
  switch (event.type) {
    case 'GrantApproved':
      return { ...state, status: 'approved' };
    case 'GrantDeclined':
      return { ...state, status: 'declined' };
    default:
      return event satisfies never;
  }
}

export function proposeGrant(command: ProposedGrant, state: Grant): Decision<GrantEvent, GrantRejection> {
  if (state.status === 'none') return accept({ type: 'GrantProposed', data: { ...command } });
  const { grant } = state;
  const same = (['tenant', 'kind', 'amount', 'label', 'reference'] as const).every(
    (name) => grant[name] === command[name],
  );
  if (!same) return reject({ code: 'GRANT_DIFFERS', earlier: grant });
  return state.status === 'declined' ? reject({ code: 'GRANT_DECLINED' }) : accept();
}

/** Approving an approved grant changes nothing. No operator may approve their own proposal. */
export function approveGrant(
  command: { readonly by: string; readonly at: string },
  state: Grant,
): Decision<GrantEvent, GrantRejection> {
  if (state.status === 'none') return reject({ code: 'GRANT_NOT_FOUND' });
  if (state.status === 'declined') return reject({ code: 'GRANT_DECLINED' });
  if (state.status === 'approved') return accept();
  if (state.grant.by === command.by) return reject({ code: 'SECOND_OPERATOR_NEEDED' });
  return accept({ type: 'GrantApproved', data: { ...command } });
}

/** The operator who proposed it may also withdraw it. */
export function declineGrant(
  command: { readonly by: string; readonly reason: string; readonly at: string },
  state: Grant,
): Decision<GrantEvent, GrantRejection> {
  if (state.status === 'none') return reject({ code: 'GRANT_NOT_FOUND' });
  if (state.status === 'approved') return reject({ code: 'GRANT_APPROVED' });
  if (state.status === 'declined') return accept();
  return accept({ type: 'GrantDeclined', data: { ...command } });
}
