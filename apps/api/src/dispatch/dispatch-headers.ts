import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '#application/command-context.js';
import type { TestOutcome } from '#domain/job/job.events.js';
import { invalid } from '../http/api-error.js';

/*
 * The headers of a dispatch: the key for safe repetition, the time to wait, and the outcome that a test wants.
 */

const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/** @throws ApiError 422 for a key that is empty, too long, or holds anything but visible ASCII */
export function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && visibleAscii.test(header)) return header;
  const msg = 'must be 1 to 255 visible ASCII characters';
  throw invalid([{ loc: ['header', 'Idempotency-Key'], msg, type: 'string' }]);
}

/** Longer than most renders take, shorter than proxies keep a silent connection open. */
export const longestPreferredWaitS = 60;

/**
 * How long the caller wants to wait for the job's end, from `Prefer: wait=N` (RFC 7240). In whole seconds from
 * 1 to {@link longestPreferredWaitS}; undefined without such a preference. According to the RFC, unknown or
 * malformed preferences are ignored, and the first of two equal ones counts.
 */
export function preferredWait(header: string | string[] | undefined): number | undefined {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  for (const [, name = '', quoted, token] of text.matchAll(preference)) {
    if (name.toLowerCase() !== 'wait') continue;
    const value = quoted ?? token ?? '';
    const seconds = /^\d{1,9}$/.test(value) ? Number(value) : 0;
    return seconds < 1 ? undefined : Math.min(seconds, longestPreferredWaitS);
  }
  return undefined;
}

/** `name`, `name=token` or `name="text"` with its parameters, up to the next comma. */
const preference =
  /(?:^|,)\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?(?:\s*;(?:"(?:[^"\\]|\\.)*"|[^",])*)?\s*(?=,|$)/g;

export const expectedCreditsHeader = 'X-Atelier-Expected-Credits';

/** Reads the credits that the caller agreed to pay. @throws ApiError 422 for anything but a whole number */
export function parseExpectedCredits(headers: IncomingHttpHeaders): number | undefined {
  const header = headers[expectedCreditsHeader.toLowerCase()];
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^\d{1,9}$/.test(header)) return Number(header);
  const msg = 'must be the credits that you agreed to, as a whole number';
  throw invalid([{ loc: ['header', expectedCreditsHeader], msg, type: 'integer' }]);
}

export const testOutcomeHeader = 'X-Atelier-Test-Outcome';

/** The effect of each outcome on the job. The type ensures that none is missing. */
export const testOutcomes: Readonly<Record<TestOutcome, string>> = {
  policy: 'refused by policy, no second attempt, refunded',
  no_image: 'the engine gives no image, twice, refunded',
  capacity_then_success: 'the engine is busy at first, then renders',
  timeout: 'the engine takes too long, refunded',
  partial: 'succeeds, with a `failures` entry',
  crash: 'the first worker dies, another one renders',
};

const isTestOutcome = (text: string): text is TestOutcome => Object.hasOwn(testOutcomes, text);

/** @throws ApiError 422 for an outcome that is not known, and for any with a live key */
export function parseTestOutcome(
  headers: IncomingHttpHeaders,
  { environment }: Caller,
): TestOutcome | undefined {
  const header = headers[testOutcomeHeader.toLowerCase()];
  if (header === undefined) return undefined;
  const loc = ['header', testOutcomeHeader];
  if (environment !== 'test') {
    throw invalid([{ loc, msg: 'works with sk_test_ keys only: leave it out', type: 'extra_forbidden' }]);
  }
  if (typeof header === 'string' && isTestOutcome(header)) return header;
  const msg = `must be one of: ${Object.keys(testOutcomes).join(', ')}`;
  throw invalid([{ loc, msg, type: 'enum' }]);
}
