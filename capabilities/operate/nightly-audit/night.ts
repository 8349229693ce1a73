import type { ActionOutcome } from '#domain/action/action.events.js';
import { timelessId } from '#platform/ids.js';

/** An attempt at the audit of one night, as the log shows it. */
export interface Attempt {
  /** Null: it has not ended, or its process was killed. */
  readonly ended: { readonly at: Date; readonly outcome: ActionOutcome } | null;
}

/** The next step of a night's audit. `begin` starts the attempt of this number; `close` records that it was killed. */
export type Step = { readonly kind: 'begin' | 'close'; readonly attempt: number } | { readonly kind: 'rest' };

/** An audit that runs out of memory each time must not go on all day. */
export const mostAttempts = 3;
const retryAfterMs = 60_000;
/** A process that starts this soon after the hour audits at once. */
const onTimeMs = 15 * 60_000;
/** One that starts later first runs for this long: it may be one of many starts, or start after an outage. */
const settledAfterMs = 10 * 60_000;

const dayMs = 24 * 60 * 60_000;
const minuteMs = 60_000;

/** When the last audit was due. @param minute after midnight, UTC */
export function lastDue(minute: number, now: Date): Date {
  const today = Math.floor(now.getTime() / dayMs) * dayMs + minute * minuteMs;
  return new Date(today <= now.getTime() ? today : today - dayMs);
}

/** The id of an attempt's action. All projectors make the same one, so that a night has one audit. */
export function attemptId(due: Date, attempt: number): string {
  return timelessId(`nightly audit ${due.toISOString().slice(0, 10)} ${attempt}`);
}

/**
 * Call it only while this process holds the lock and audits nothing: an attempt that has not ended then never will.
 * @param attempts of this night, in their order
 * @param startedAt when this process started
 */
export function nextStep(
  attempts: readonly Attempt[],
  { due, now, startedAt }: { readonly due: Date; readonly now: Date; readonly startedAt: Date },
): Step {
  const last = attempts.at(-1);
  if (last && last.ended === null) return { kind: 'close', attempt: attempts.length };
  if (last?.ended?.outcome === 'done' || attempts.length >= mostAttempts) return { kind: 'rest' };
  const since = (time: Date) => now.getTime() - time.getTime();
  if (last?.ended && since(last.ended.at) < retryAfterMs) return { kind: 'rest' };
  const isTime = since(due) <= onTimeMs || since(startedAt) >= settledAfterMs;
  return isTime ? { kind: 'begin', attempt: attempts.length + 1 } : { kind: 'rest' };
}
