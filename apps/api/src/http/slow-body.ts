import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { httpLimitsOf } from './http-limits.js';

export interface BodyWatch extends Disposable {
  /** Rejects with 408 once the body is too slow; never resolves. */
  readonly tooSlow: Promise<never>;
  /** Tells that another piece of the body came in. */
  progress(): void;
}

/**
 * Gives up on a body that comes in drops: between two pieces, and where `wholeMs` is given also as a whole. Who sends
 * one byte now and then would otherwise hold a place for as long as it likes.
 */
export function watchBody({ server }: FastifyRequest, wholeMs?: number): BodyWatch {
  const { bodyIdleMs } = httpLimitsOf(server);
  const { promise, reject } = Promise.withResolvers<never>();
  // A request that awaits the body hears of it; without one, the rejection must not count as unhandled.
  promise.catch(() => undefined);
  const giveUp = () => reject(tooSlow());
  const idle = setTimeout(giveUp, bodyIdleMs);
  const whole = wholeMs === undefined ? undefined : setTimeout(giveUp, wholeMs);
  return {
    tooSlow: promise,
    progress: () => void idle.refresh(),
    [Symbol.dispose]() {
      clearTimeout(idle);
      clearTimeout(whole);
    },
  };
}

/** The rest of the body is not waited for: the connection ends with the answer. */
function tooSlow(): ApiError {
  return new ApiError(
    'REQUEST_TIMEOUT',
    'The body did not arrive in time. Nothing was charged; send it again.',
    {
      headers: { connection: 'close' },
    },
  );
}
