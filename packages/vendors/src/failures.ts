import { EngineError, type EngineErrorClass } from '@atelier/engine';

/** How long telling a vendor about a cancelled call may take. */
export const farewellMs = 15_000;

const refunded = 'Your credits were refunded.';

/** The message for callers. It names no vendor, because that concerns only the operator. */
const sentences: Readonly<Record<Exclude<EngineErrorClass, 'capacity'>, string>> = {
  bad_input: `The image model cannot use the pictures of this request. Send other ones. ${refunded}`,
  policy: `The image model refused this request for its content. ${refunded}`,
  no_image: `The image model made no picture of this request. ${refunded}`,
  outcome_unknown: `The image model was asked, and its answer was lost. ${refunded}`,
  misconfigured: `The image model cannot be used at present. ${refunded}`,
};

export function refusalOf(errorClass: Exclude<EngineErrorClass, 'capacity'>): EngineError {
  return new EngineError(errorClass, sentences[errorClass]);
}

/**
 * For a model that has no field for one of the pictures: without that picture, the result would not match the
 * order.
 */
export function tooManyPictures(): EngineError {
  return new EngineError('bad_input', `The image model cannot use so many pictures at once. ${refunded}`);
}

/** The vendor no longer knows a call that it had accepted, so it is useless to poll again. */
export class LostCall extends EngineError {
  constructor() {
    super('outcome_unknown', sentences.outcome_unknown);
  }
}

/** @param retryAfter the value of the answer's header: seconds, or a date */
export function capacityFrom(retryAfter?: string | null): EngineError {
  const seconds = Number(retryAfter ?? Number.NaN);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter ?? '') - Date.now();
  const pause = Number.isFinite(ms) && ms > 0 ? ms : undefined;
  return new EngineError('capacity', `The image model has no capacity at present. ${refunded}`, pause);
}

const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Whether a connection failed before anything was sent. In that case nothing is paid. */
export function neverSent(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  // The layers' errors have no common class, so this looks at their properties.
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  if (unsent.has(String(code))) return true;
  return neverSent(cause) || (Array.isArray(errors) && errors.some(neverSent));
}
