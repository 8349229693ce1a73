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
  readonly outcome: ActionOutcome;
}

/** An audit that did not come to its end. */
export interface AuditFailed {
  readonly by: string;
  readonly at: string;
  readonly summary: string | null;
}

export interface LastAudits {
  /** The last audit of the whole installation that came to its end. */
  readonly last_audit: AuditMade | null;
  /** The last one after it that failed. */
  readonly failed_audit: AuditFailed | null;
}

/**
 * An audit of one tenant, of one environment or of the past says nothing of the rest, and does not count.
 * @param actions the recorded actions of all operators, and of the projector
 */
export function lastAudits(actions: readonly RecordedEvent[]): LastAudits {
  const streams = new Set(actions.filter(isWholeAudit).map(({ stream }) => stream));
  const audits = actionsIn(actions.filter(({ stream }) => streams.has(stream)));
  const last = audits.findLastIndex(({ outcome }) => outcome === 'done');
  const failed = audits.slice(last + 1).findLast(({ outcome }) => outcome === 'failed');
  return {
    last_audit: madeOf(audits[last]),
    failed_audit: failed
      ? { by: failed.by, at: failed.ended_at ?? failed.at, summary: failed.summary }
      : null,
  };
}

function madeOf(audit: ReturnType<typeof actionsIn>[number] | undefined): AuditMade | null {
  if (!audit) return null;
  const { by, at, ended_at, summary } = audit;
  return { by, at: ended_at ?? at, holds: summary?.startsWith(well) ?? false, summary, outcome: 'done' };
}

/** For people: when the last audit was, and what it found. */
export function auditLine({ last_audit: audit }: LastAudits): string {
  return audit ? `${audit.at} by ${audit.by}: ${audit.summary}` : 'none';
}

/** Why a person should look at the audits; empty if none failed and the last one found nothing wrong. */
export function complaintsAboutAudits({ last_audit: audit, failed_audit: failed }: LastAudits): string[] {
  return [
    ...(audit && !audit.holds ? [`the audit of ${audit.at} found ${audit.summary}`] : []),
    ...(failed
      ? [`the audit of ${failed.at} did not come to its end: ${failed.summary ?? 'the log says no more'}`]
      : []),
  ];
}

function isWholeAudit({ type, data }: RecordedEvent): boolean {
  if (type !== 'ActionRequested') return false;
  const { action, input } = data as EventOfType<'ActionRequested'>['data'];
  return action === auditAction && ['env', 'tenant', 'at'].every((part) => !(part in input));
}
