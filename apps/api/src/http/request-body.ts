import { setImmediate } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { defaultUnreadMs } from '#platform/guarded-server.js';
import { ApiError, invalid } from './api-error.js';
import type { FieldProblem } from '#validation/validate.js';

/** Time limits for slow clients. All in milliseconds. */
export interface HttpLimits {
  readonly headersMs: number;
  /** For a whole request: 25 MiB over a slow line. */
  readonly requestMs: number;
  /** Between two pieces of a body. */
  readonly bodyIdleMs: number;
  readonly jsonBodyMs: number;
  /** For another server to give the whole picture that an import names. */
  readonly importMs: number;
  /** For taking the next piece of an answer that waits. */
  readonly unreadMs: number;
  /** How often connections are looked at for the first two. */
  readonly checkMs: number;
  /** How long a request may wait for the event store, over all its calls. */
  readonly storeMs: number;
}

export const defaultHttpLimits: HttpLimits = {
  headersMs: 15_000,
  requestMs: 300_000,
  bodyIdleMs: 15_000,
  jsonBodyMs: 30_000,
  importMs: 30_000,
  unreadMs: defaultUnreadMs,
  checkMs: 5_000,
  storeMs: 10_000,
};

export interface BodyWatch extends Disposable {
  /** Rejects with 408 once the body is too slow; never resolves. */
  readonly tooSlow: Promise<never>;
  /** Reports that another piece of the body came in. */
  progress(): void;
}

/**
 * Gives up on a slow body. It limits the time between two pieces and, with `wholeMs`, the time for the whole
 * body. Without the second limit, a client that sends a byte now and then would hold its place for ever.
 */
export function watchBody({ server }: FastifyRequest, wholeMs?: number): BodyWatch {
  const { bodyIdleMs } = server.httpLimits;
  const { promise, reject } = Promise.withResolvers<never>();
  // A handler that awaits the body gets the error. Without such a handler, the error must not count as
  // unhandled.
  promise.catch(() => undefined);
  const giveUp = () => {
    const message = 'The body did not arrive in time. Nothing was charged; send it again.';
    // The connection closes after the answer, without the rest of the body.
    reject(new ApiError('REQUEST_TIMEOUT', message, { headers: { connection: 'close' } }));
  };
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

/** Deeper than any body of this interface nests. */
export const deepestJson = 32;

/**
 * The first forbidden part of parsed JSON, or undefined. Three things are forbidden: the name `__proto__`,
 * which changes an object's prototype when it is copied; nesting beyond {@link deepestJson}; and text that a
 * database cannot hold (NUL, half a surrogate pair).
 */
export function findUnsafeJson(value: unknown, depth = 0): FieldProblem | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : unstorable;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : infinite;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === deepestJson) {
    return { loc: [], msg: `nests deeper than ${deepestJson} levels`, type: 'too_deep' };
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const found = findUnsafeJson(value[index], depth + 1);
      if (found) return { ...found, loc: [index, ...found.loc] };
    }
    return undefined;
  }
  for (const [key, member] of Object.entries(value)) {
    const found = problemOfKey(key) ?? findUnsafeJson(member, depth + 1);
    if (found) return { ...found, loc: [isStorable(key) ? key : '?', ...found.loc] };
  }
  return undefined;
}

const unstorable: FieldProblem = { loc: [], msg: 'contains a character that is not text', type: 'string' };
const infinite: FieldProblem = { loc: [], msg: 'is a number too large to keep', type: 'number' };

function problemOfKey(key: string): FieldProblem | undefined {
  if (key === '__proto__') return { loc: [], msg: 'is not allowed as a name', type: 'extra_forbidden' };
  return isStorable(key) ? undefined : unstorable;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

declare module 'fastify' {
  interface FastifyInstance {
    httpLimits: HttpLimits;
  }
  interface FastifyContextConfig {
    /** The most bytes of a JSON body, if the route accepts larger bodies than others. */
    jsonBodyLimit?: number;
  }
}

/** Larger than any valid body, however it is written: bodies name pictures and do not contain them. */
export const jsonBodyLimit = 128 * 1024;

/** The most members and items in all objects and lists of a body: more than metadata of 8 KiB can hold. */
export const mostJsonValues = 5_000;

const [quote, backslash, comma, list, object] = [...'"\\,[{'].map((sign) => sign.charCodeAt(0));

/**
 * Whether JSON holds more than {@link mostJsonValues}, counted in its bytes. The check comes before parsing,
 * which would block the process: small values cost a hundred times as much as long texts.
 */
export function hasTooManyValues(bytes: Uint8Array): boolean {
  let values = 0;
  let inText = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (inText) {
      if (byte === backslash) index += 1;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if ((byte === comma || byte === list || byte === object) && ++values > mostJsonValues) return true;
  }
  return false;
}

/** Bodies that were read already, because their signature had to be checked. */
const bodies = new WeakMap<FastifyRequest, Promise<Buffer>>();

/**
 * The JSON body of a request. It is read here, after the guards. The framework would read it before them, so
 * requests that the guards refuse would be parsed too.
 * @throws ApiError 415 for another content type, 413 beyond the route's limit, 422 for unsafe JSON, 408 for a
 *   body that takes too long
 */
export async function readJsonBody(request: FastifyRequest): Promise<unknown> {
  const type = request.headers['content-type'];
  if (type !== undefined && !/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the body as JSON, with the header Content-Type: application/json. Nothing was charged.',
    );
  }
  const bytes = await readRawBody(request);
  if (bytes.length > jsonBodyLimit) await ownTurn();
  if (hasTooManyValues(bytes)) {
    const msg = `holds more than ${mostJsonValues} values: its lists and objects are too long`;
    throw invalid([{ loc: ['body'], msg, type: 'too_long' }]);
  }
  let text: string;
  let parsed: unknown;
  try {
    text = utf8.decode(bytes);
    parsed = JSON.parse(text);
  } catch {
    const msg = bytes.length === 0 ? 'is missing: send a JSON object' : 'is not valid JSON';
    throw invalid([{ loc: ['body'], msg, type: 'json_invalid' }]);
  }
  const unsafe = findUnsafeJson(parsed);
  if (unsafe) throw invalid([{ ...unsafe, loc: ['body', ...unsafe.loc] }]);
  return parsed;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

let lastTurn: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other large body uses. Between two such turns, other requests go
 * on.
 */
function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

/**
 * The body as it was sent. It is read once and then remembered. @throws ApiError 413 beyond the route's limit,
 * 408, 400
 */
export function readRawBody(request: FastifyRequest): Promise<Buffer> {
  let body = bodies.get(request);
  const limit = request.routeOptions.config.jsonBodyLimit ?? jsonBodyLimit;
  if (!body) bodies.set(request, (body = readAll(request, limit)));
  return body;
}

async function readAll(request: FastifyRequest, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  using watch = watchBody(request, request.server.httpLimits.jsonBodyMs);
  return await Promise.race([collect(request, limit, () => watch.progress()), watch.tooSlow]);
}

function collect({ raw }: FastifyRequest, limit: number, onProgress: () => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    raw.on('data', (chunk: Buffer) => {
      onProgress();
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      // The rest still arrives, and is dropped, so that the client can read the answer.
      else reject(tooLarge(limit));
    });
    raw.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // `close` always comes last. Before `end` it means that the client has gone. It may have come already.
    const cutOff = () => {
      if (raw.readableEnded) return;
      reject(new ApiError('BAD_REQUEST', 'The body was cut off. Nothing was charged.'));
    };
    raw.on('error', cutOff).on('close', cutOff);
    if (raw.destroyed) cutOff();
  });
}

function tooLarge(limit: number): ApiError {
  const most = `${limit} bytes (${limit / 1024} KiB)`;
  return new ApiError(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than the ${most} that this route takes. Nothing was charged.`,
  );
}
