import type { components } from './openapi.js';
import type { Job } from './types.js';

export type ErrorCode = components['schemas']['ErrorCode'];
type Envelope = components['schemas']['ErrorEnvelope'];

/** The service refused. Branch on `code`. `message` says what to do and whether credits were charged. */
export class AtelierError extends Error {
  override readonly name = 'AtelierError';

  constructor(
    readonly status: number,
    readonly code: ErrorCode | 'UNEXPECTED_ANSWER',
    message: string,
    /** Quote it when you contact the operator. */
    readonly requestId: string | undefined,
    /** For a 422: each field that is wrong. */
    readonly detail: NonNullable<Envelope['detail']> = [],
    /** How long to wait before the next try, if the service says so. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/**
 * No answer came, even after all retries. The dispatch may still have happened: repeat it with the same
 * `idempotencyKey` to find out.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** The job ended without a picture. Its credits were given back. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError';

  constructor(readonly job: Job) {
    super(job.error?.message ?? `The job ${job.public_id} failed.`);
  }

  get code(): NonNullable<Job['error']>['code'] | undefined {
    return this.job.error?.code;
  }
}

/** The body of an unsuccessful answer. */
export async function errorOf(response: Response): Promise<AtelierError> {
  const { status, headers } = response;
  const text = await response.text();
  const requestId = headers.get('x-request-id') ?? undefined;
  const retryAfterMs = pauseAskedFor(headers.get('retry-after'));
  const envelope = envelopeOf(text);
  if (envelope) {
    const { error, detail } = envelope;
    return new AtelierError(status, error.code, error.message, error.request_id, detail, retryAfterMs);
  }
  // A proxy in between answers in its own form.
  const message = `${response.url} answered ${status}: ${text.slice(0, 200)}`;
  return new AtelierError(status, 'UNEXPECTED_ANSWER', message, requestId, [], retryAfterMs);
}

/** The service gives seconds; a proxy may give a time. */
function pauseAskedFor(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function envelopeOf(text: string): Envelope | undefined {
  try {
    // JSON that has an `error` with a code comes from the service: nothing else answers in that form.
    const body = JSON.parse(text) as Partial<Envelope> | null;
    return typeof body?.error?.code === 'string' ? (body as Envelope) : undefined;
  } catch {
    return undefined;
  }
}
