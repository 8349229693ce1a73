import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppendOutcomeUnknown, EventStoreUnavailable, UnprovenEvent } from '#event-store/event-store.js';
import type { Clock } from '#platform/clock.js';
import type { ConsoleFiles } from '#platform/console-files.js';
import { guardedServer } from '#platform/guarded-server.js';
import { newId } from '#platform/ids.js';
import type { Logger } from '#platform/logger.js';
import { PreparedAnswer } from '#platform/prepared-answer.js';
import { InvalidFields, type FieldProblem } from '#validation/validate.js';
import { changesThings, checkedInput, mayCall, perform } from '../perform-call.js';
import { fieldsOf } from '../fields-of-input.js';
import type { AnyCall } from '#operator-calls/call.js';
import type { ConnectedOperator } from '../connected-operator.js';
import { asCsv, jsonLines } from '#operator-calls/lines.js';
import { toJson } from '#operator-calls/output.js';
import { CallRefused, refusals, type RefusalCode } from '#operator-calls/call-refused.js';
import { NoInput } from '#operator-calls/input.js';
import type { Operator } from '#operator-calls/operator.js';
import {
  TooManyAttempts,
  type SignedInOperator,
  type SignIn,
  type SignInParts,
} from '#operator-calls/sign-in.js';
import { Runs } from './runs.js';

export interface AdminServerParts {
  readonly operator: ConnectedOperator;
  readonly calls: readonly AnyCall[];
  /** Makes the sign-in, which identifies the operator behind a request. */
  readonly signIn: (parts: SignInParts) => SignIn;
  readonly logger: Logger;
  readonly clock: Clock;
  /** How often one address may send a wrong token in a minute. */
  readonly failuresPerMin: number;
  /** The text served as `/openapi.json`. */
  readonly description: () => Promise<string>;
  /** The files served at `/console`. */
  readonly console: ConsoleFiles;
}

export const everyAnswer = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

const bodyLimit = 64 * 1024;
/** The largest bodies from operators are a preset's picture, in base 64, and kept seals. */
const largeBodyLimit = 16 * 1024 * 1024;

const timeLimits = { headersTimeout: 15_000, requestTimeout: 300_000, keepAliveTimeout: 65_000 };

const longestKey = 255;
/** A short call runs to its end even if the client goes away. */
const neverStopped = new AbortController().signal;

/** A stream sends an answer at least this often, so that its reader knows that it is up to date. */
const tellEveryMs = 2_000;
/** Milliseconds between two looks for news. */
const lookEveryMs = 500;

/** The operators' API: one route for each call. The sign-in identifies the operator of a request. */
export class AdminServer {
  readonly server: FastifyInstance;
  private readonly runs: Runs;
  private readonly signIn: SignIn;
  private readonly closing = new AbortController();

  constructor(private readonly parts: AdminServerParts) {
    this.runs = new Runs(parts.clock);
    const { operator, clock, logger, failuresPerMin } = parts;
    this.signIn = parts.signIn({
      operator,
      clock,
      logger,
      failuresPerMin,
      inTheNameOf: (name, { id }) => operator.inTheNameOf(name, id, () => undefined),
      record,
    });
    const options = {
      genReqId: newId,
      requestIdHeader: false as const,
      skipMiddie: true,
      bodyLimit,
      serverFactory: (listener: RequestListener) => guardedServer(timeLimits, listener),
    };
    this.server = new FastifyAdapter({ ...options, multipart: false }).getInstance<FastifyInstance>();
    this.server.setReplySerializer((payload) => toJson(payload));
    this.server.addHook('onRequest', (request, reply, done) => {
      void reply.headers({ 'x-request-id': request.id, ...everyAnswer });
      done();
    });
    this.server.setErrorHandler((error, request, reply) => this.refuse(error, request, reply));
    this.server.setNotFoundHandler((request, reply) => {
      const message = 'there is nothing at this path: /admin/v1/openapi.json lists the paths that exist';
      return this.refuse(new CallRefused(message, 'RESOURCE_NOT_FOUND'), request, reply);
    });
    for (const call of parts.calls) this.serve(call);
    this.serveRuns();
    this.signIn.addRoutes(this.server);
    this.serveDescription();
    for (const url of ['/console', '/console/*']) this.serveConsole(url);
  }

  async listen(port: number, host: string): Promise<number> {
    await this.server.listen({ port, host });
    // It listens on a port, not on a pipe.
    return (this.server.server.address() as { port: number }).port;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.runs.stop();
    await this.server.close();
  }

  private serve(call: AnyCall): void {
    const [method = '', path = ''] = call.route.split(' ');
    const names = new WeakMap<FastifyRequest, string>();
    this.server.route({
      method,
      url: `/admin/v1${path}`,
      bodyLimit: call.unrecorded ? largeBodyLimit : bodyLimit,
      // Runs before the body is read, so that no body is parsed for a caller who is not let in.
      onRequest: async (request) => {
        const known = await this.signIn.letIn(request);
        requireRole(call, known);
        names.set(request, known.name);
      },
      handler: async (request, reply) => {
        const name = names.get(request) ?? '';
        const input = inputOf(call, request);
        const notices: string[] = [];
        const operator = this.parts.operator.inTheNameOf(name, request.id, (line) => void notices.push(line));
        const idempotencyKey = keyOf(call, request);
        if (call.long) {
          const run = this.runs.start(call, name, (asked) => perform(call, operator, input, asked));
          return reply.code(202).send(run);
        }
        const asked = { idempotencyKey, signal: neverStopped, onProgress: () => undefined };
        const result = await perform(call, operator, input, asked);
        if (call.lines) return sendLines(reply, call.lines, request, result as AsyncIterable<object>);
        if (call.download)
          return reply
            .type(call.download.type)
            .header('content-disposition', `attachment; filename="${call.download.name}"`)
            .send(result);
        if (notices.length > 0) void reply.header('x-atelier-notice', JSON.stringify(notices));
        return reply.code(200).send(result ?? null);
      },
    });
    if (call.live) this.serveLive(call, path);
  }

  /** Serves the same answer as a stream of events: again when the log has grown, and every other second. */
  private serveLive(call: AnyCall, path: string): void {
    this.server.get(`/admin/v1${path}/events`, async (request, reply) => {
      requireRole(call, await this.signIn.letIn(request));
      const input = inputOf(call, request);
      const { operator } = this.parts;
      const asked = { signal: neverStopped, onProgress: () => undefined };
      const look = async () => {
        const head = await operator.store.head();
        return {
          told: await call.run(operator, input, asked),
          isNews: async () => (await operator.store.head()) !== head,
        };
      };
      return this.tell(request, reply, look);
    });
  }

  /**
   * A stream of server-sent events for clients that send a token in a header, as `fetch` does. It ends when the
   * token is no longer valid, or when nothing more can come.
   */
  private async tell(
    request: FastifyRequest,
    reply: FastifyReply,
    look: () => Promise<Look>,
  ): Promise<FastifyReply> {
    const { signal } = this.closing;
    // The first look comes before the answer begins, so that an error gives an error status.
    const first = await look();
    const letIn = () => this.signIn.letIn(request);
    async function* frames(): AsyncGenerator<string> {
      for (let now = first; ; await letIn(), now = await look()) {
        yield `data: ${toJson(now.told)}\n\n`;
        if (now.isLast) return;
        for (let waited = 0; waited < tellEveryMs && !(await now.isNews()); waited += lookEveryMs)
          await pause(lookEveryMs, undefined, { signal });
      }
    }
    return reply
      .headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
        connection: 'close',
      })
      .send(Readable.from(frames()));
  }

  private serveDescription(): void {
    let document: Promise<PreparedAnswer> | undefined;
    this.server.get('/admin/v1/openapi.json', async (request, reply) => {
      document ??= this.parts.description().then((text) => PreparedAnswer.of(text));
      const body = (await document).answer(request, reply);
      return reply.type('application/json; charset=utf-8').send(body);
    });
  }

  /** The console's files are no secret: a page needs a token to load data. */
  private serveConsole(url: string): void {
    this.server.get(url, async (request, reply) => {
      const { '*': path = '' } = request.params as { '*'?: string };
      const file = await this.parts.console.file(path);
      if (!file) throw new CallRefused('the console has no such file: reload the page', 'RESOURCE_NOT_FOUND');
      return reply.headers(file.headers).send(file.body);
    });
  }

  /**
   * Serves the state of long calls. Every operator who may read sees them; only operators who may start a call
   * may stop it.
   */
  private serveRuns(): void {
    const found = (request: FastifyRequest) => {
      const { run } = request.params as { run: string };
      const view = this.runs.view(run);
      if (view) return view;
      const message = `there is no run ${run}: runs are kept until the process that serves them ends; "atelier actions" lists what was done`;
      throw new CallRefused(message, 'RESOURCE_NOT_FOUND');
    };
    const serve = (
      method: string,
      url: string,
      answer: (request: FastifyRequest, who: SignedInOperator) => unknown,
    ) =>
      this.server.route({
        method,
        url: `/admin/v1/runs${url}`,
        handler: async (request) => answer(request, await this.signIn.letIn(request)),
      });
    serve('GET', '', () => ({ runs: this.runs.list() }));
    serve('GET', '/:run', found);
    this.server.get('/admin/v1/runs/:run/events', async (request, reply) => {
      await this.signIn.letIn(request);
      const look = () => {
        const told = found(request);
        const isNews = () => Promise.resolve(toJson(found(request)) !== toJson(told));
        return Promise.resolve({ told, isNews, isLast: told.state !== 'running' });
      };
      return this.tell(request, reply, look);
    });
    serve('DELETE', '/:run', (request, operator) => {
      const { run_id: id, action } = found(request);
      const call = this.parts.calls.find(({ name }) => name === action);
      if (call) requireRole(call, operator);
      return this.runs.cancel(id);
    });
  }

  private refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { code, message, detail, cause } = translate(error);
    const status = refusals[code];
    if (status >= 500)
      this.parts.logger.error(
        { requestId: request.id, route: request.routeOptions.url, err: cause },
        'answered 500',
      );
    if (error instanceof TooManyAttempts) void reply.header('retry-after', String(error.retryAfterSeconds));
    const body = { error: { code, message, request_id: request.id }, ...(detail && { detail }) };
    return reply.code(status).type('application/json; charset=utf-8').send(body);
  }
}

/** Performs it as a call, so that the log records it like one. */
function record(operator: Operator, action: string, input: object): Promise<unknown> {
  const call: AnyCall = {
    name: action,
    route: 'POST /session',
    may: [],
    summary: '',
    input: NoInput,
    run: () => Promise.resolve(null),
    print: () => undefined,
  };
  return perform(call, operator, input, { signal: neverStopped, onProgress: () => undefined });
}

function requireRole(call: AnyCall, { name, role }: SignedInOperator): void {
  if (mayCall(call, role)) return;
  const needed = [...call.may, 'admin'].join(' or ');
  throw new CallRefused(
    `${name} has the role ${role}; this needs ${needed}. Nothing was changed`,
    'ROLE_REQUIRED',
  );
}

/**
 * Sends lines as CSV if the request wants that, else as one JSON object a line. An error on the way breaks off
 * the connection.
 */
function sendLines(
  reply: FastifyReply,
  columns: readonly string[],
  { query }: FastifyRequest,
  lines: AsyncIterable<object>,
): FastifyReply {
  const { format } = asObject(query);
  if (format === 'csv' && columns.length > 0)
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="atelier.csv"')
      .send(asCsv(lines, columns));
  return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(jsonLines(lines)));
}

/** One answer in a stream. */
interface Look {
  readonly told: unknown;
  /** Whether the answer would be different by now. */
  readonly isNews: () => Promise<boolean>;
  readonly isLast?: boolean;
}

interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly detail?: readonly FieldProblem[];
  readonly cause?: unknown;
}

const byStatus: Readonly<Record<number, RefusalCode>> = {
  400: 'BAD_REQUEST',
  404: 'RESOURCE_NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

function translate(error: unknown): Refusal {
  if (error instanceof CallRefused) return error;
  if (error instanceof InvalidFields)
    return {
      code: 'VALIDATION_ERROR',
      message: `${error.message}. Nothing was changed`,
      detail: error.problems,
    };
  if (error instanceof EventStoreUnavailable || error instanceof AppendOutcomeUnknown)
    return {
      code: 'SERVICE_UNAVAILABLE',
      cause: error,
      message:
        'the store cannot be reached: send the request again; send a grant with the same Idempotency-Key',
    };
  if (error instanceof UnprovenEvent)
    return {
      code: 'SERVICE_UNAVAILABLE',
      cause: error,
      message: `${error.message}. The service decides nothing by it: docs/seals.md says what to do`,
    };
  // Anything can be thrown; Fastify's own errors have a status and a message for the caller.
  const { statusCode = 500, message = '' } = error as { statusCode?: number; message?: string };
  const known = byStatus[statusCode];
  if (known === 'PAYLOAD_TOO_LARGE')
    return {
      code: known,
      message:
        'the body is larger than this call takes: 64 KiB, or 16 MiB for previews and kept seals. Nothing was changed',
    };
  if (known) return { code: known, message };
  const told = 'something went wrong on our side: quote the request_id when you report it';
  return { code: 'INTERNAL_ERROR', message: told, cause: error };
}

/** @throws CallRefused for a key that would have no effect, and for a missing key that is needed */
function keyOf(call: AnyCall, { headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (!call.idempotent) {
    if (key === undefined) return undefined;
    throw new CallRefused('this call takes no Idempotency-Key: leave it out', 'VALIDATION_ERROR');
  }
  if (key === undefined && call.idempotent === 'if-sent') return undefined;
  if (typeof key === 'string' && key.length > 0 && key.length <= longestKey) return key;
  throw new CallRefused(
    `send an Idempotency-Key of 1 to ${longestKey} characters: if you send the request again with the same key, it is done only once`,
    'VALIDATION_ERROR',
  );
}

/** Joins the path with the query or body as one input. @throws InvalidFields, CallRefused */
function inputOf(call: AnyCall, { params, query, body }: FastifyRequest): object {
  const inPath = asObject(params);
  try {
    if (!changesThings(call))
      return checkedInput(call, fromText(call, { ...withoutFormat(call, query), ...inPath }), 'query');
    const sent = body ?? {};
    if (typeof sent !== 'object' || Array.isArray(sent))
      throw new CallRefused('the body must be an object', 'VALIDATION_ERROR');
    return checkedInput(call, { ...sent, ...inPath }, 'body');
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    const place = ({ loc, ...problem }: FieldProblem): FieldProblem =>
      (loc[1] ?? '') in inPath ? { ...problem, loc: ['path', ...loc.slice(1)] } : { ...problem, loc };
    throw new InvalidFields(error.problems.map(place));
  }
}

/** Takes out `format`, which is no field of the call. @throws CallRefused */
function withoutFormat({ lines }: AnyCall, query: unknown): Record<string, unknown> {
  const { format, ...fields } = asObject(query);
  if (!lines || format === undefined) return asObject(query);
  if (format === 'json' || (format === 'csv' && lines.length > 0)) return fields;
  throw new CallRefused('format must be json, or csv for calls that have it', 'VALIDATION_ERROR');
}

/** Fastify gives objects, of its own making, for both. */
const asObject = (value: unknown) => value as Record<string, unknown>;

/** Query parameters are text; the fields say what they should be. */
function fromText({ input }: AnyCall, sent: Record<string, unknown>): Record<string, unknown> {
  const types = new Map(fieldsOf(input).map(({ name, schema }) => [name, schema.type]));
  const value = (name: string, text: unknown) => {
    const type = types.get(name);
    if (type === 'array') return Array.isArray(text) ? text : [text];
    if (type === 'integer' && typeof text === 'string' && /^-?\d{1,15}$/.test(text)) return Number(text);
    if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
    return text;
  };
  return Object.fromEntries(Object.entries(sent).map(([name, text]) => [name, value(name, text)]));
}
