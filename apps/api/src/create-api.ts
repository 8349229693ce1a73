import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { StorePresence } from '#event-store/store-presence.js';
import { guardedServer } from '#platform/guarded-server.js';
import { newId } from '#platform/ids.js';
import type { ProcessSettings } from '#adapters/platform.module.js';
import { ApiModule } from './api.module.js';
import { serveDescription } from './http/openapi-document.js';
import { ApiError, type ErrorCode, envelopeOf } from './http/api-error.js';
import { translateError } from './http/error.filter.js';
import {
  correlateRequests,
  cutSilentConnections,
  measureRequests,
  markStaleReads,
  refuseWhereLogMisfits,
} from './http/server-hooks.js';
import { Installation } from '#read-store/installation.js';
import { defaultHttpLimits, type HttpLimits } from './http/request-body.js';
import { watchRoutes } from './http/route-table.js';

const maxHeaderBytes = 16 * 1024;

/** Makes browsers trust only the declared content type, store no answers and send no referrers. */
const everyAnswer = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
const answersPolicy = "default-src 'none'; frame-ancestors 'none'";
/** The pages of `/docs` load only from this origin; they have inline styles, and their icons are data URLs. */
const docsPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/**
 * How often the checkpoints of the installation are compared with the log: one short query and one short read.
 */
const logLookMs = 5_000;

/** How long answers may take to finish once the server stops. */
const closeGraceMs = 5_000;

/** The API of one process, ready to listen. Closing it also closes its connections. */
export async function createApi(
  settings: ProcessSettings,
  limits = defaultHttpLimits,
): Promise<NestFastifyApplication> {
  const { trustedProxies, corsOrigins } = settings.configuration;
  const adapter = adapterFor(trustedProxies, limits);
  const server = adapter.getInstance<FastifyInstance>();
  correlateRequests(server);
  if (settings.metrics) measureRequests(server, settings.metrics.http);
  watchRoutes(server);
  server.decorate('httpLimits', limits);
  cutSilentConnections(server);
  const closing = new AbortController();
  server.addHook('preClose', (done) => {
    closing.abort();
    // Running answers may finish, but a client that does not read its answer must not keep the server from
    // stopping.
    setTimeout(() => server.server.closeAllConnections(), closeGraceMs).unref();
    done();
  });
  server.addHook('onRequest', (request, reply, done) => {
    const policy = request.url.startsWith('/docs') || request.url === '/' ? docsPolicy : answersPolicy;
    void reply.headers({ 'x-request-id': request.id, ...everyAnswer, 'content-security-policy': policy });
    done(request.headers.host === undefined && request.raw.httpVersion === '1.1' ? missingHost() : undefined);
  });
  const app = await NestFactory.create<NestFastifyApplication>(ApiModule.for(settings), adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: false,
  });
  const { log } = app.get(Installation);
  refuseWhereLogMisfits(server, log);
  markStaleReads(server, app.get(StorePresence));
  void log.follow(logLookMs, settings.logger, closing.signal);
  if (corsOrigins.length > 0) await server.register(cors, corsOptions(corsOrigins));
  // `uploads/` reports a file that is too large, while it writes it.
  await server.register(multipart, { throwFileSizeLimit: false });
  readBodiesOurselves(server);
  serveDescription(app);
  await app.init();
  await server.ready();
  return app;
}

function adapterFor(trustedProxies: readonly string[], limits: HttpLimits): FastifyAdapter {
  return new FastifyAdapter({
    genReqId: newId,
    requestIdHeader: false,
    // The service has no Nest middleware, and each layer that every request passes reduces throughput.
    skipMiddie: true,
    multipart: false,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: true },
    serverFactory: (listener: RequestListener) =>
      guardedServer(
        {
          requestTimeout: limits.requestMs,
          headersTimeout: limits.headersMs,
          keepAliveTimeout: 65_000,
          maxHeaderSize: maxHeaderBytes,
          // Node would answer without a body; the hook below answers with one.
          requireHostHeader: false,
          connectionsCheckingInterval: limits.checkMs,
        },
        listener,
        limits.unreadMs,
      ),
    clientErrorHandler: answerBrokenHttp,
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      const problem = translateError(error);
      void reply
        .code(problem.status)
        .header('x-request-id', request.id)
        .send(envelopeOf(problem, request.id));
    },
  });
}

/** Pages send keys and tokens in a header, so cross-origin calls need no cookies or credentials. */
function corsOptions(origins: readonly string[]): FastifyCorsOptions {
  return {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'X-Request-Id',
      'X-Consistency-Token',
      'Location',
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
      'Idempotent-Replayed',
      'Preference-Applied',
    ],
    maxAge: 600,
  };
}

function missingHost(): ApiError {
  return new ApiError('BAD_REQUEST', 'The request lacks the header Host, which HTTP/1.1 requires.');
}

/** Bodies are read after the guards, see `http/request-body.ts`; until then they wait in the socket. */
function readBodiesOurselves(server: FastifyInstance): void {
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
}

/** Answers errors before a request exists: broken framing, headers that are too large or too slow. */
function answerBrokenHttp(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const codes: Record<string, ErrorCode> = {
    HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
    ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  };
  const problem = new ApiError(
    codes[error.code ?? ''] ?? 'BAD_REQUEST',
    'The request could not be read: check its framing, its headers, and how long it takes to send them.',
  );
  const requestId = newId();
  const body = JSON.stringify(envelopeOf(problem, requestId));
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.code}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
