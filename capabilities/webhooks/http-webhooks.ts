import { once } from 'node:events';
import { request as requestByHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { WebhookTransport, type CallOutcome, type WebhookCall } from './deliveries.js';
import type { Environment } from '#domain/streams.js';
import { errorCode } from '#platform/errors.js';
import {
  callableUrl,
  ForbiddenAddress,
  pinnedTo,
  resolveByDns,
  resolvePublic,
  type ResolveName,
} from '#platform/public-address.js';
import type { WebhookSettings } from './webhooks.settings.js';

/** The bytes of an answer that are kept. A call does not wait for the rest. */
const keptBytes = 1_024;

/** More bytes than the headers of a webhook's receiver ever have. */
const mostHeaderBytes = 16 * 1_024;

/**
 * Calls endpoints over HTTP. For each call it looks an address up once, checks it, and connects to exactly that
 * address. It does not follow redirects. It limits the time, and how much of an answer it reads. Each call has
 * a connection of its own.
 */
export class HttpWebhooks extends WebhookTransport {
  constructor(
    private readonly settings: WebhookSettings,
    private readonly resolve: ResolveName = resolveByDns,
  ) {
    super();
  }

  async complaintAbout(environment: Environment, url: string): Promise<string | undefined> {
    const parsed = this.parse(environment, url);
    if (typeof parsed === 'string') return parsed;
    try {
      await resolvePublic(parsed.hostname, this.settings.allowedNetworks, this.resolve);
    } catch (error) {
      if (error instanceof ForbiddenAddress)
        return 'must be an address on the internet: private and local networks are not called';
      // A name may become known later. Each call checks the address that the name then has.
    }
    return undefined;
  }

  async post({ environment, url, headers, body, signal }: WebhookCall): Promise<CallOutcome> {
    const parsed = this.parse(environment, url);
    // The setting may have changed since the endpoint was registered.
    if (typeof parsed === 'string') return { kind: 'refused', error: `the address ${parsed}` };
    const { timeoutMs, allowedNetworks } = this.settings;
    const limit = AbortSignal.timeout(timeoutMs);
    const either = AbortSignal.any([signal, limit]);
    try {
      const address = await resolvePublic(parsed.hostname, allowedNetworks, this.resolve);
      either.throwIfAborted();
      const send = parsed.protocol === 'https:' ? requestByHttps : requestByHttp;
      const request = send(parsed, {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        agent: false,
        maxHeaderSize: mostHeaderBytes,
        lookup: pinnedTo(address),
      });
      return await answerTo(request.end(body), either);
    } catch (error) {
      if (error instanceof ForbiddenAddress) return { kind: 'refused', error: error.message };
      if (limit.aborted) return { kind: 'no-answer', error: `no answer within ${timeoutMs} ms` };
      return { kind: 'no-answer', error: errorCode(error) ?? 'the connection was cut' };
    }
  }

  /** The address, or the reason why it is refused. */
  private parse(environment: Environment, url: string): URL | string {
    const plain = environment === 'test' && this.settings.allowHttp;
    return callableUrl(url, plain ? ['https:', 'http:'] : ['https:']);
  }
}

/** Listens to the signal only during the call: after the call there is nothing left to abort. */
async function answerTo(request: ClientRequest, signal: AbortSignal): Promise<CallOutcome> {
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

async function answerOf(response: IncomingMessage): Promise<CallOutcome> {
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
  const answer = Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8').replaceAll('\0', '');
  return {
    kind: 'answered',
    statusCode: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    answer,
  };
}
