import type { ActionOutcome } from '#domain/action/action.events.js';
import type { EventOfType } from '#domain/events.js';
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

/**
 * The last audit of the whole installation that came to its end; without one, the last that was asked for. An audit of one
 * tenant, of one environment or of the past says nothing of the rest. @param actions the recorded actions of all operators
 */
export function lastAudit(actions: readonly RecordedEvent[]): AuditMade | null {
  const streams = new Set(actions.filter(isWholeAudit).map(({ stream }) => stream));
  const audits = actionsIn(actions.filter(({ stream }) => streams.has(stream)));
  const made = audits.findLast(({ outcome }) => outcome === 'done') ?? audits.at(-1);
  if (!made) return null;
  const { by, at, ended_at, summary, outcome } = made;
  return { by, at: ended_at ?? at, holds: summary?.startsWith(well) ?? false, summary, outcome };
}

function isWholeAudit({ type, data }: RecordedEvent): boolean {
  if (type !== 'ActionRequested') return false;
  const { action, input } = data as EventOfType<'ActionRequested'>['data'];
  return action === auditAction && ['env', 'tenant', 'at'].every((part) => !(part in input));
}
