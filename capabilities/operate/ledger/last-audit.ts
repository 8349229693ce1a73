import type { ActionOutcome } from '#domain/action/action.events.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { actionsIn } from '../actions/list-actions.js';

export const auditAction = 'ledger audit';

const well = 'all holds';

/** The summary of an audit in the log. */
export function auditSummary(wrong: number, events: number): string {
  return `${wrong === 0 ? well : `${wrong} wrong`} in ${events} events`;
}

export interface AuditMade {
  readonly by: string;
  readonly at: string;
  readonly holds: boolean;
  readonly summary: string | null;
  readonly outcome: ActionOutcome | 'unknown';
}

/** The last audit that an operator has made. @param actions the recorded actions of all operators */
export function lastAudit(actions: readonly RecordedEvent[]): AuditMade | null {
  const asked = actions.findLast(
    (each) => each.type === 'ActionRequested' && (each.data as { action?: unknown }).action === auditAction,
  );
  const [made] = asked ? actionsIn(actions.filter(({ stream }) => stream === asked.stream)) : [];
  if (!made) return null;
  const { by, at, ended_at, summary, outcome } = made;
  return { by, at: ended_at ?? at, holds: summary?.startsWith(well) ?? false, summary, outcome };
}
