import type { FastifyRequest } from 'fastify';
import { ApiError, invalid } from '../errors/api-error.js';
import { httpLimitsOf } from './http-limits.js';
import { findUnsafeJson } from './json-safety.js';
import { watchBody } from './slow-body.js';

/** Larger than any honest dispatch: bodies name pictures, they do not contain them. */
export const jsonBodyLimit = 1024 * 1024;

/** Bodies that were read already, because their signature had to be checked. */
const bodies = new WeakMap<FastifyRequest, Promise<Buffer>>();

/**
 * The JSON body of a request. It is read here, behind the guards, and not by the framework before them: who is
 * not let in does not get to have a body parsed.
 * @throws ApiError 415 for another content type, 413 beyond {@link jsonBodyLimit}, 422 for what is not safe JSON, 408
 *   for a body that takes too long
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

/** The body as it was sent, read once however often it is asked for. @throws ApiError 413 beyond {@link jsonBodyLimit}, 408, 400 */
export function readRawBody(request: FastifyRequest): Promise<Buffer> {
  let body = bodies.get(request);
  if (!body) bodies.set(request, (body = readAll(request, jsonBodyLimit)));
  return body;
}

async function readAll(request: FastifyRequest, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  using watch = watchBody(request, httpLimitsOf(request.server).jsonBodyMs);
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
      // The rest still flows, and is dropped: the client can then read the answer.
      else reject(tooLarge(limit));
    });
    raw.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    // Comes last in any case; when it comes before the end, the client has gone. It may have gone already.
    const cutOff = () => {
      if (raw.readableEnded) return;
      reject(new ApiError('BAD_REQUEST', 'The body was cut off. Nothing was charged.'));
    };
    raw.on('error', cutOff).on('close', cutOff);
    if (raw.destroyed) cutOff();
  });
}

function tooLarge(limit: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes. Nothing was charged.`);
}
