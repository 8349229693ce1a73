import { maxAttempts } from '#domain/job/render-job.js';
import type { JobFailureCode } from '#domain/job/job.events.js';
import type { EngineError, EngineErrorClass } from '@atelier/engine';

export type AfterEngineError =
  | { readonly kind: 'retry'; readonly afterMs: number }
  | {
      readonly kind: 'fail';
      readonly code: JobFailureCode;
      /** True if an operator must act. */
      readonly alarm: boolean;
    };

const codes: Record<EngineErrorClass, JobFailureCode> = {
  bad_input: 'ENGINE_REJECTED_INPUT',
  policy: 'ENGINE_POLICY',
  no_image: 'ENGINE_NO_IMAGE',
  capacity: 'ENGINE_CAPACITY',
  outcome_unknown: 'ENGINE_OUTCOME_UNKNOWN',
  misconfigured: 'ENGINE_MISCONFIGURED',
};

const firstBackoffMs = 1_000;

/** An engine may request a pause, but must not hold a charge open for longer than this. */
const longestPauseMs = 15 * 60 * 1_000;

/**
 * Decides what follows an engine's error in the given attempt, which counts from 1. The stream records how
 * often a job was taken up, but not why it ended. A crash in an earlier attempt therefore uses up a retry as
 * well, and a job never starts more often than its attempts allow.
 */
export function afterEngineError(
  error: EngineError,
  attempt: number,
  /** The caller's `on_technical_failure: retry`: it prefers a late picture to a refund. */
  insistent = false,
): AfterEngineError {
  const fail: AfterEngineError = {
    kind: 'fail',
    code: codes[error.errorClass],
    alarm: error.errorClass === 'misconfigured',
  };
  const again: AfterEngineError = { kind: 'retry', afterMs: firstBackoffMs };
  const insist = insistent && attempt < maxAttempts;
  switch (error.errorClass) {
    case 'bad_input':
    case 'policy':
    case 'misconfigured':
      return fail;
    case 'outcome_unknown':
      // The engine may have rendered, and may bill for it, so a second call could pay twice. Only if the caller
      // allows it.
      return insist ? again : fail;
    case 'no_image':
      return attempt < 2 || insist ? again : fail;
    case 'capacity': {
      if (attempt >= maxAttempts) return fail;
      const backoffMs = firstBackoffMs * 2 ** (attempt - 1);
      return { kind: 'retry', afterMs: Math.min(longestPauseMs, error.retryAfterMs ?? backoffMs) };
    }
    default:
      return error.errorClass satisfies never;
  }
}
