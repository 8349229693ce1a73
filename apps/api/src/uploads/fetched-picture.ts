import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { errorCode, isDiskFull } from '#platform/errors.js';
import {
  callableUrl,
  ForbiddenAddress,
  pinnedTo,
  resolvePublic,
  type ResolveName,
} from '#platform/public-address.js';
import { ApiError, invalid } from '../http/api-error.js';
import { bounded, openSpool, tooLarge, uploadLimitBytes } from './spooled-upload.js';

/** More bytes than the headers of a server of pictures ever have. */
const mostHeaderBytes = 16 * 1024;

export interface FetchLimits {
  /** Networks in CIDR notation that may be called although they are not part of the internet. */
  readonly allowedNetworks: readonly string[];
  /** For the whole picture, so that a server that sends a byte now and then does not hold its place. */
  readonly timeoutMs: number;
  /** Aborts when the caller has left. */
  readonly left: AbortSignal;
  /** Name servers, unless a test stands in for them. */
  readonly resolve?: ResolveName;
}

/**
 * Writes the file at an `https://` URL to disk while it arrives. The name is looked up once, and the address that was
 * checked is the one that is called. Redirects are not followed. The file is gone when it is disposed of.
 * @throws ApiError 422 for a URL that is not called, and for a server that does not give the file; 413 beyond
 *   {@link uploadLimitBytes}
 */
export async function fetchPicture(
  address: string,
  limits: FetchLimits,
): Promise<AsyncDisposable & { readonly path: string }> {
  const url = callableUrl(address, ['https:']);
  if (typeof url === 'string') throw invalid([{ loc: ['body', 'url'], msg: url, type: 'value' }]);
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  const signal = AbortSignal.any([timeout, limits.left]);
  const { file, path, discard } = await openSpool();
  try {
    const response = await answerOf(url, limits, signal);
    await pipeline(response, bounded, (source) => file.writeFile(source), { signal });
    return { path, [Symbol.asyncDispose]: discard };
  } catch (error) {
    await discard();
    throw asApiError(error, timeout, limits.timeoutMs);
  }
}

async function answerOf(
  url: URL,
  { allowedNetworks, resolve }: FetchLimits,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const found = await resolvePublic(url.hostname, allowedNetworks, resolve);
  signal.throwIfAborted();
  const request = requestByHttps(url, {
    headers: { accept: 'image/jpeg, image/png, image/webp', 'accept-encoding': 'identity' },
    agent: false,
    maxHeaderSize: mostHeaderBytes,
    lookup: pinnedTo(found),
    signal,
  });
  // The event's only argument.
  const [response] = (await once(request.end(), 'response')) as [IncomingMessage];
  // An error from here on shows when the answer is read.
  request.on('error', () => undefined);
  const complaint = complaintAbout(response);
  if (!complaint) return response;
  response.on('error', () => undefined);
  request.destroy();
  throw complaint;
}

function complaintAbout({ statusCode = 0, headers }: IncomingMessage): ApiError | undefined {
  if (statusCode >= 300 && statusCode < 400)
    return failed(`redirects to another address (${statusCode}), which is not followed: name that one`);
  if (statusCode !== 200) return failed(`answered with ${statusCode} and not with 200`);
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return failed('sent the picture compressed, although it was asked not to');
  return Number(headers['content-length'] ?? 0) > uploadLimitBytes ? tooLarge() : undefined;
}

function asApiError(error: unknown, timeout: AbortSignal, timeoutMs: number): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof ForbiddenAddress) {
    const what =
      'leads into a private or local network, which this service does not call: use a public address, or upload the file itself';
    return refusal('IMPORT_REFUSED', 'value', what, error);
  }
  if (timeout.aborted) return failed(`did not send the whole picture within ${timeoutMs} ms`, error);
  // A full disk is ours.
  if (isDiskFull(error)) return error;
  return failed(`could not be read from (${errorCode(error) ?? 'its name is unknown'})`, error);
}

function failed(what: string, cause?: unknown): ApiError {
  return refusal('IMPORT_FAILED', 'import', `names a server that ${what}`, cause);
}

function refusal(code: 'IMPORT_FAILED' | 'IMPORT_REFUSED', type: string, msg: string, cause: unknown) {
  const detail = [{ loc: ['body', 'url'], msg, type }];
  return new ApiError(code, `url ${msg}. Nothing was charged.`, { detail, cause });
}
