import type { FastifyInstance } from 'fastify';

/** What slow clients get. All in milliseconds. */
export interface HttpLimits {
  /** For the headers. */
  readonly headersMs: number;
  /** For a whole request: 25 MiB over a slow line. */
  readonly requestMs: number;
  /** Between two pieces of a body. */
  readonly bodyIdleMs: number;
  /** For a whole JSON body. */
  readonly jsonBodyMs: number;
  /** How often connections are looked at for the first two. */
  readonly checkMs: number;
}

export const defaultHttpLimits: HttpLimits = {
  headersMs: 15_000,
  requestMs: 300_000,
  bodyIdleMs: 15_000,
  jsonBodyMs: 30_000,
  checkMs: 5_000,
};

const ofServers = new WeakMap<object, HttpLimits>();

export function setHttpLimits({ server }: FastifyInstance, limits: HttpLimits): void {
  ofServers.set(server, limits);
}

/** The limits of the server that a request came to. */
export function httpLimitsOf({ server }: FastifyInstance): HttpLimits {
  return ofServers.get(server) ?? defaultHttpLimits;
}
