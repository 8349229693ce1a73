import type { FastifyReply } from 'fastify';
import type { RateVerdict } from '#application/limits/rate-limit-store.js';
import { ApiError } from '../errors/api-error.js';

/**
 * Says on every answer what is left, in the structured fields of the IETF's draft "RateLimit header fields for HTTP":
 * `q` requests in `w` seconds; `r` are left, and all of them are there again in `t` seconds.
 */
export function tellRateLimit(reply: FastifyReply, { limit, remaining, resetSeconds }: RateVerdict): void {
  void reply
    .header('ratelimit-policy', `"default";q=${limit};w=60`)
    .header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
}

export function rateLimited({ limit, retryAfterSeconds }: RateVerdict): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    `This key may make ${limit} requests a minute. Nothing was charged: try again in ${inSeconds(retryAfterSeconds)}.`,
    { headers: { 'retry-after': String(retryAfterSeconds) } },
  );
}

/** For an address that has failed to authenticate too often. It says nothing about the key that it sent. */
export function tooManyFailures(retryAfterSeconds: number): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    `Too many requests without a valid API key came from this address. Try again in ${inSeconds(retryAfterSeconds)}.`,
    { headers: { 'retry-after': String(retryAfterSeconds) } },
  );
}

function inSeconds(seconds: number): string {
  return seconds === 1 ? 'a second' : `${seconds} seconds`;
}
