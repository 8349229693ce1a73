import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newStoreTime, type StorePresence } from '#event-store/store-presence.js';
import { acceptTraceparent, correlated, correlation } from '#platform/correlation.js';
import { isTracing, openSpan, type Span } from '#platform/tracing.js';
import { ApiError } from './api-error.js';
import type { LogWatch } from '#read-store/log-watch.js';
import type { HttpObserver } from '#platform/metrics.js';
import type { Socket } from 'node:net';

/**
 * All work of a request carries its id and its trace. The trace comes from the header `traceparent`. Without
 * the header, it is new if this process sends traces; otherwise there is none.
 */
export function correlateRequests(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    const parent = acceptTraceparent(request.headers['traceparent']);
    const span = isTracing() && isWorthATrace(request) ? spanOf(request, reply, parent) : undefined;
    const traceparent = span?.traceparent ?? parent;
    const storeTime = newStoreTime(server.httpLimits.storeMs);
    correlated({ requestId: request.id, traceparent, storeTime }, done);
  });
}

/** Probes, scrapes and documentation would make up most of the traces, without any value. */
function isWorthATrace({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith('/v1/') ?? false;
}

function spanOf(request: FastifyRequest, reply: FastifyReply, parent: string | undefined): Span {
  const { url: route = '', config } = request.routeOptions;
  const span = openSpan(`${request.method} ${route}`, {
    kind: 'server',
    parent,
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'atelier.request_id': request.id,
      'atelier.operation': config?.workflow,
    },
  });
  // Unlike the hook `onResponse` this also comes when the client has gone away.
  reply.raw.once('close', () => {
    const { caller } = request;
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

/** Reports every request when its answer is sent, or when the client has gone. */
export function measureRequests(server: FastifyInstance, observe: HttpObserver): void {
  server.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    // Unlike the hook `onResponse` this also comes when the client has gone away.
    reply.raw.once('close', () => {
      const { url: route, config } = request.routeOptions;
      observe({
        method: request.method,
        route,
        status: reply.raw.writableFinished ? reply.raw.statusCode : undefined,
        durationMs: performance.now() - startedAt,
        workflow: config?.workflow,
      });
    });
    done();
  });
}

/**
 * While the checkpoints do not fit the log, or while that is unknown, dispatches are refused, because consumers
 * could skip their events. Reads go on, and their answers say that they may show another history.
 */
export function refuseWhereLogMisfits(server: FastifyInstance, log: Pick<LogWatch, 'fits' | 'misfit'>): void {
  server.addHook('onRequest', ({ method, routeOptions }, reply, done) => {
    if (log.fits) return done();
    if (method === 'GET' && log.misfit !== undefined) void reply.header('x-consistency', 'stale');
    if (routeOptions.config?.workflow === undefined) return done();
    const message =
      'The history of this installation does not fit the data that was made from it, or the check is still running. ' +
      'Nothing was charged; send the request again later.';
    const cause = new Error(log.misfit ?? 'it is not known yet whether the checkpoints fit the log');
    done(new ApiError('LOG_MISMATCH', message, { headers: { 'retry-after': '10' }, cause }));
  });
}

/** While the event store is away, reads are answered from the read models, and their answers say so. */
export function markStaleReads(server: FastifyInstance, presence: Pick<StorePresence, 'isAway'>): void {
  server.addHook('onSend', ({ method, routeOptions }, reply, payload, done) => {
    const reads = method === 'GET' && routeOptions.url?.startsWith('/v1/') && reply.statusCode < 400;
    if (reads && (presence.isAway || correlation().storeTime?.didWithout))
      void reply.header('x-consistency', 'stale');
    done(null, payload);
  });
}

/**
 * When the server stops, cuts connections that never sent a whole request. Node's `close` waits for them: it
 * counts only connections that have had an answer as idle, and no longer applies its own time limits. So one
 * silent client would keep the process from ending.
 */
export function cutSilentConnections(server: FastifyInstance): void {
  const silent = new Set<Socket>();
  let stopping = false;
  server.server.on('connection', (socket: Socket) => {
    if (stopping) {
      socket.destroy();
      return;
    }
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.server.on('request', ({ socket }: { socket: Socket }) => silent.delete(socket));
  server.addHook('preClose', (done) => {
    stopping = true;
    for (const socket of silent) socket.destroy();
    done();
  });
}
