import type { ActionOutcome } from '#domain/action/action.events.js';
import { decode } from '#domain/stored-events.js';
import type { RecordedEvent } from '#event-store/event-store.js';

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
  if (!asked) return null;
  const ofIt = actions.filter(({ stream }) => stream === asked.stream).map(decode);
  let made: AuditMade | null = null;
  for (const { type, data } of ofIt) {
    if (type === 'ActionRequested')
      made = { by: data.by, at: data.at, holds: false, summary: null, outcome: 'unknown' };
    if (type === 'ActionEnded' && made) {
      const { at, outcome, summary } = data;
      made = { ...made, at, outcome, summary, holds: summary?.startsWith(well) ?? false };
    }
  }
  return made;
}
