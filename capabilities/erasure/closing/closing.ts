import { accept, reject, type Decision } from '#domain/decision.js';
import type { ClosingEvent } from '../closing.events.js';

type DataOf<Type extends ClosingEvent['type']> = Extract<ClosingEvent, { type: Type }>['data'];

export type ProposedClosing = DataOf<'TenantClosingProposed'>;
export type ApprovedClosing = DataOf<'TenantClosingApproved'>;

/**
 * open → proposed → notice → erasing → closed. Another operator approves a proposal, which begins the notice period. Until
 * its end the closing can be cancelled: the tenant is open again. After it, everything is erased.
 */
export type Closing =
  | { readonly status: 'open' }
  | { readonly status: 'proposed'; readonly proposed: ProposedClosing }
  | {
      readonly status: 'notice' | 'erasing' | 'closed';
      readonly proposed: ProposedClosing;
      readonly approved: ApprovedClosing;
    };

export type ClosingRejection = {
  readonly code: 'CLOSING_EXISTS' | 'CLOSING_NOT_PROPOSED' | 'SECOND_OPERATOR_NEEDED' | 'CLOSING_BEGUN';
};

const dayMs = 24 * 60 * 60_000;

export const initialClosing: Closing = { status: 'open' };

export function evolveClosing(state: Closing, event: ClosingEvent): Closing {
  switch (event.type) {
    case 'TenantClosingProposed':
      return { status: 'proposed', proposed: event.data };
    case 'TenantClosingCancelled':
      return initialClosing;
    case 'TenantClosingApproved':
      if (state.status === 'open') break;
      return { status: 'notice', proposed: state.proposed, approved: event.data };
    case 'TenantClosingBegun':
    case 'TenantClosed':
      if (!('approved' in state)) break;
      return { ...state, status: event.type === 'TenantClosed' ? 'closed' : 'erasing' };
    default:
      return event satisfies never;
  }
  throw new Error(`${event.type} of a closing that was not proposed or approved`);
}

export function proposeClosing(
  command: ProposedClosing,
  { status }: Closing,
): Decision<ClosingEvent, ClosingRejection> {
  if (status !== 'open') return reject({ code: 'CLOSING_EXISTS' });
  return accept({ type: 'TenantClosingProposed', data: command });
}

/** By another operator than the one who proposed it. */
export function approveClosing(
  { by, suspended, at }: Omit<ApprovedClosing, 'dueAt'>,
  state: Closing,
): Decision<ClosingEvent, ClosingRejection> {
  if (state.status === 'open') return reject({ code: 'CLOSING_NOT_PROPOSED' });
  if (state.status !== 'proposed') return accept();
  const { noticeDays, by: proposer } = state.proposed;
  if (by === proposer) return reject({ code: 'SECOND_OPERATOR_NEEDED' });
  const dueAt = new Date(Date.parse(at) + noticeDays * dayMs).toISOString();
  return accept({ type: 'TenantClosingApproved', data: { by, dueAt, suspended, at } });
}

export function cancelClosing(
  command: DataOf<'TenantClosingCancelled'>,
  { status }: Closing,
): Decision<ClosingEvent, ClosingRejection> {
  if (status === 'open') return reject({ code: 'CLOSING_NOT_PROPOSED' });
  if (status === 'erasing' || status === 'closed') return reject({ code: 'CLOSING_BEGUN' });
  return accept({ type: 'TenantClosingCancelled', data: command });
}

/** Only at the end of the notice period. */
export function beginClosing({ at }: { readonly at: string }, state: Closing): Decision<ClosingEvent> {
  if (state.status !== 'notice' || at < state.approved.dueAt) return accept();
  return accept({ type: 'TenantClosingBegun', data: { at } });
}

export function completeClosing(
  { at }: { readonly at: string },
  { status }: Closing,
): Decision<ClosingEvent> {
  return status === 'erasing' ? accept({ type: 'TenantClosed', data: { at } }) : accept();
}

/** Begins again what a restored log no longer knows as begun. */
export function repeatClosing(
  { proposed, approved }: { readonly proposed: ProposedClosing; readonly approved: ApprovedClosing },
  { at }: { readonly at: string },
  { status }: Closing,
): Decision<ClosingEvent> {
  const begun = { type: 'TenantClosingBegun', data: { at } } as const;
  const noticed = { type: 'TenantClosingApproved', data: approved } as const;
  switch (status) {
    case 'open':
      return accept<ClosingEvent>({ type: 'TenantClosingProposed', data: proposed }, noticed, begun);
    case 'proposed':
      return accept<ClosingEvent>(noticed, begun);
    case 'notice':
      return accept<ClosingEvent>(begun);
    case 'erasing':
    case 'closed':
      return accept();
    default:
      return status satisfies never;
  }
}
