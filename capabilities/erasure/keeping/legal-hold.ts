import { accept, reject, type Decision } from '#domain/decision.js';
import type { LegalHoldEvent } from '../keeping.events.js';

export type LegalHold = Extract<LegalHoldEvent, { type: 'LegalHoldPlaced' }>['data'];

/** The holds of a tenant that are in force, in the order in which they were placed. */
export type LegalHolds = readonly LegalHold[];

export const initialHolds: LegalHolds = [];

export function evolveHolds(holds: LegalHolds, event: LegalHoldEvent): LegalHolds {
  switch (event.type) {
    case 'LegalHoldPlaced':
      return [...holds, event.data];
    case 'LegalHoldLifted':
      return holds.filter(({ holdId }) => holdId !== event.data.holdId);
    default:
      return event satisfies never;
  }
}

/** A second hold on the same job or person has a reason of its own, and is lifted by itself. */
export function placeHold(hold: LegalHold, holds: LegalHolds): Decision<LegalHoldEvent> {
  if (holds.some(({ holdId }) => holdId === hold.holdId)) return accept();
  return accept({ type: 'LegalHoldPlaced', data: { ...hold } });
}

export function liftHold(
  lifted: Extract<LegalHoldEvent, { type: 'LegalHoldLifted' }>['data'],
  holds: LegalHolds,
): Decision<LegalHoldEvent, { readonly code: 'HOLD_NOT_FOUND' }> {
  if (!holds.some(({ holdId }) => holdId === lifted.holdId)) return reject({ code: 'HOLD_NOT_FOUND' });
  return accept({ type: 'LegalHoldLifted', data: { ...lifted } });
}
