import { randomBytes, type X509Certificate } from 'node:crypto';
import { messageOf } from '#platform/errors.js';
import type { TimeStamp } from './time-stamp-token.js';

/** The subject of a worker's trouble while its pictures have no time-stamp. */
export const missingTimeStamps = 'time-stamps';

/** Authorities answer within half a second. */
const answerWithinMs = 3_000;
/** Their answers have 4 to 8 kB. What is longer would make each picture as much longer. */
const longestAnswerBytes = 16_384;

/**
 * Asks an authority for a time-stamp.
 * @param stamped the bytes whose time it shall confirm; it only gets their hash
 * @returns a token that is whole, and trusted if there are authorities to trust
 * @throws Error that says what the authority does wrong
 */
export async function askAuthority(
  url: string,
  stamped: Buffer,
  authorities: readonly X509Certificate[],
): Promise<{ readonly token: Buffer; readonly stamp: TimeStamp }> {
  const { readAnswer, requestFor } = await import('./time-stamp-token.js');
  // The first bit is 0, so that the number is positive, and another one is not, so that it keeps its length.
  const nonce = Buffer.concat([Buffer.of(0x40), randomBytes(8)]);
  const answer = await post(url, requestFor(stamped, nonce));
  const { token, stamp, hasNonce, unfit } = readAnswer(answer, { stamped, nonce }, authorities);
  if (unfit !== undefined)
    throw new Error(`C2PA does not allow its certificate, ${stamp.authority}: ${unfit}`);
  const isGood =
    stamp.status === 'timeStamp.trusted' ||
    (stamp.status === 'timeStamp.untrusted' && authorities.length === 0);
  if (isGood && hasNonce) return { token, stamp };
  if (isGood) throw new Error('it answers another request than the one it got');
  const by = stamp.authority === null ? '' : `, signed by ${stamp.authority}`;
  const hint =
    stamp.status === 'timeStamp.untrusted' ? ': ATELIER_PROVENANCE_TSA_CERT does not lead to it' : '';
  throw new Error(`its time-stamp does not hold, ${stamp.status}${by}${hint}`);
}

async function post(url: string, body: Buffer): Promise<Buffer> {
  const signal = AbortSignal.timeout(answerWithinMs);
  try {
    const headers = { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' };
    const request = {
      method: 'POST',
      body: new Uint8Array(body),
      headers,
      signal,
      redirect: 'error',
    } as const;
    const answer = await fetch(url, request);
    const bytes = await bodyOf(answer);
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return bytes;
  } catch (error) {
    if (signal.aborted)
      throw new Error(`it does not answer within ${answerWithinMs / 1000} s`, { cause: error });
    const { cause = error } = error as Error;
    throw new Error(`it gives no answer, ${messageOf(cause)}`, { cause: error });
  }
}

async function bodyOf({ body }: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of body ?? []) {
    sizeBytes += part.length;
    // Leaving the loop ends the connection.
    if (sizeBytes > longestAnswerBytes) throw new Error(`but more than ${longestAnswerBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
