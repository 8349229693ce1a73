import type { FastifyInstance } from 'fastify';
import type { HttpObserver } from '#platform/metrics-counters.js';

/** Tells of every request when its answer is out, or when the client has gone away. */
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
