import { createHash } from 'node:crypto';

const minute = 60_000;
const hour = 60 * minute;

/** The pauses after each failed attempt: eleven attempts over three days. */
const pausesMs = [
  5_000,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  18 * hour,
  24 * hour,
];

export const mostDeliveryAttempts = pausesMs.length + 1;

/**
 * The share of a pause that is added at most, so that deliveries which failed together do not come back
 * together. One tenth.
 */
const jitter = 0.1;

const longestRetryAfterMs = 24 * hour;

/**
 * How long to wait after an attempt, the first being 1. Undefined if it was the last attempt.
 * @param retryAfter the pause that the endpoint requests: a longer pause is granted, up to a day
 * @param chance from 0 to 1
 */
export function pauseAfter(
  attempt: number,
  retryAfter: string | undefined,
  chance: number,
): number | undefined {
  const pauseMs = pausesMs[attempt - 1];
  if (pauseMs === undefined) return undefined;
  const askedMs = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1_000 : 0;
  const longestMs = Math.max(pauseMs, Math.min(askedMs, longestRetryAfterMs));
  return Math.round(longestMs * (1 + jitter * chance));
}

/** From 0 to 1. It looks random, and is the same for the same id: also in every run of a simulation. */
export function chanceOf(id: string): number {
  return Number.parseInt(createHash('sha256').update(id).digest('hex').slice(0, 8), 16) / 2 ** 32;
}
