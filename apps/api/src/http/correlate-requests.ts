import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptTraceparent, correlated } from '#platform/correlation.js';
import { isTracing, openSpan, type Span } from '#platform/tracing.js';
import { callerOf } from '../auth/caller.js';

/**
 * Whatever a request sets off carries its id, and its trace: that of the header `traceparent`, or a new one where
 * traces are sent. Without either there is none.
 */
export function correlateRequests(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    const parent = acceptTraceparent(request.headers['traceparent']);
    const span = isTracing() && isWorthATrace(request) ? spanOf(request, reply, parent) : undefined;
    correlated({ requestId: request.id, traceparent: span?.traceparent ?? parent }, done);
  });
}

/** Probes, scrapes and documentation would be most of all traces, and say nothing. */
function isWorthATrace({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith('/v1/') ?? false;
}

function spanOf(request: FastifyRequest, reply: FastifyReply, parent: string | undefined): Span {
  const { url: route = '', config } = request.routeOptions;
  const span = openSpan(`${request.method} ${route}`, {
    kind: 'server',
    parent,
    attributes: {
      ...{ 'http.request.method': request.method, 'http.route': route },
      ...{ 'atelier.request_id': request.id, 'atelier.operation': config?.workflow },
    },
  });
  // Unlike the hook `onResponse` this also comes when the client has gone away.
  reply.raw.once('close', () => {
    const caller = callerOf(request);
    const location = reply.getHeader('location');
    const jobId = typeof location === 'string' ? /^\/v1\/jobs\/(.+)$/.exec(location)?.[1] : undefined;
    const { statusCode, writableFinished } = reply.raw;
    span.set({
      ...(writableFinished ? { 'http.response.status_code': statusCode } : { 'atelier.aborted': true }),
      'atelier.environment': caller?.environment,
      'atelier.tenant': caller?.tenant,
      'atelier.job_id': jobId,
    });
    span.end(statusCode >= 500 ? new Error() : undefined);
  });
  return span;
}
