import { once } from 'node:events';
import {
  request as requestByHttp,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as requestByHttps } from 'node:https';
import { Webhook } from 'standardwebhooks';
import { errorCode } from './errors.js';
import { ForbiddenAddress, pinnedTo, type ResolvedAddress } from './public-address.js';

/** The outcome of a call. `refused`: the address must not be called, and no call was made. */
export type CallOutcome =
  | {
      readonly kind: 'answered';
      readonly statusCode: number;
      readonly retryAfter: string | undefined;
      readonly answer: string;
    }
  | { readonly kind: 'no-answer' | 'refused'; readonly error: string };

/** The bytes of an answer that are kept. A call does not wait for the rest. */
const keptBytes = 1_024;

/** More bytes than the headers of a webhook's receiver ever have. */
const mostHeaderBytes = 16 * 1_024;

interface SignedMessage {
  readonly id: string;
  readonly at: Date;
  readonly body: string;
  /** `whsec_` and base64, the newest first. */
  readonly secrets: readonly string[];
  readonly userAgent: string;
}

/** The headers of Standard Webhooks. */
export function signedHeaders({ id, at, body, secrets, userAgent }: SignedMessage) {
  return {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}

interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /**
   * Looks the address up and checks it; the call goes to exactly this one. Absent: the system looks it up. @throws
   * ForbiddenAddress
   */
  readonly address?: () => Promise<ResolvedAddress>;
}

/** A {@link CallOutcome} with all headers, and the first bytes of the answer as they came. */
export type RawOutcome =
  | {
      readonly kind: 'answered';
      readonly statusCode: number;
      readonly headers: IncomingHttpHeaders;
      readonly bytes: Buffer;
    }
  | { readonly kind: 'no-answer' | 'refused'; readonly error: string };

/** Posts once. See {@link callOnce}. */
export async function postOnce(url: URL, post: Post): Promise<CallOutcome> {
  const outcome = await callOnce(url, 'POST', post);
  if (outcome.kind !== 'answered') return outcome;
  const { statusCode, headers, bytes } = outcome;
  const answer = bytes.toString('utf8').replaceAll('\0', '');
  return { kind: 'answered', statusCode, retryAfter: headers['retry-after'], answer };
}

/**
 * Calls once, on a connection of its own. It does not follow redirects. It limits the time, and how much of an answer it
 * reads.
 */
export async function callOnce(url: URL, method: string, call: Post): Promise<RawOutcome> {
  const { headers, body, timeoutMs, signal, address } = call;
  const limit = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, limit]);
  let failed = 'its name has no address';
  try {
    const found = await address?.();
    failed = 'the connection was cut';
    either.throwIfAborted();
    const send = url.protocol === 'https:' ? requestByHttps : requestByHttp;
    const request = send(url, {
      method,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: false,
      maxHeaderSize: mostHeaderBytes,
      ...(found && { lookup: pinnedTo(found) }),
    });
    return await answerTo(request.end(body), either);
  } catch (error) {
    if (error instanceof ForbiddenAddress) return { kind: 'refused', error: error.message };
    if (limit.aborted) return { kind: 'no-answer', error: `no answer within ${timeoutMs} ms` };
    return { kind: 'no-answer', error: errorCode(error) ?? failed };
  }
}

/** Whether the receiver has taken the message. */
export function isDelivered(outcome: CallOutcome): boolean {
  return outcome.kind === 'answered' && outcome.statusCode >= 200 && outcome.statusCode < 300;
}

/** Listens to the signal only during the call: after the call there is nothing left to abort. */
async function answerTo(request: ClientRequest, signal: AbortSignal): Promise<RawOutcome> {
  const abort = () => request.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort);
  try {
    // The event's only argument.
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    // An error from here on shows when the answer is read.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    return await answerOf(response);
  } finally {
    signal.removeEventListener('abort', abort);
    request.destroy();
  }
}

async function answerOf(response: IncomingMessage): Promise<RawOutcome> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      // A response without an encoding gives buffers.
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes >= keptBytes) break;
    }
  } catch {
    // The status has arrived, and it decides. The part of the body that came is kept.
  }
  const { statusCode = 0, headers } = response;
  return { kind: 'answered', statusCode, headers, bytes: Buffer.concat(chunks).subarray(0, keptBytes) };
}
