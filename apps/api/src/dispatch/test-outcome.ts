import type { Caller } from '#application/caller.js';
import type { TestOutcome } from '#domain/job/job.events.js';
import { invalid } from '../errors/api-error.js';

export const testOutcomeHeader = 'X-Atelier-Test-Outcome';

/** What each of them makes of the job. The type makes sure that none is missing. */
export const testOutcomes: Readonly<Record<TestOutcome, string>> = {
  policy: 'refused by policy, no second attempt, refunded',
  no_image: 'the engine gives no image, twice, refunded',
  capacity_then_success: 'the engine is busy at first, then renders',
  timeout: 'the engine takes too long, refunded',
  partial: 'succeeds, with a `failures` entry',
  crash: 'the first worker dies, another one renders',
};

/** @throws ApiError 422 for an outcome that is not known, and for any with a live key */
export function parseTestOutcome(
  header: string | string[] | undefined,
  { environment }: Caller,
): TestOutcome | undefined {
  if (header === undefined) return undefined;
  const outcomes = Object.keys(testOutcomes) as TestOutcome[];
  const outcome = outcomes.find((each) => each === header);
  const loc = ['header', testOutcomeHeader];
  if (environment !== 'test') {
    throw invalid([{ loc, msg: 'works with sk_test_ keys only: leave it out', type: 'extra_forbidden' }]);
  }
  if (outcome) return outcome;
  throw invalid([{ loc, msg: `must be one of: ${outcomes.join(', ')}`, type: 'enum' }]);
}
