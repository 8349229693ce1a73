import { once } from 'node:events';
import { request as requestByHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { WebhookTransport, type CallOutcome, type WebhookCall } from './deliveries.js';
import type { Environment } from '#domain/streams.js';
import { errorCode } from '#platform/errors.js';
import { ForbiddenAddress, resolveByDns, resolvePublic, type ResolveName } from '#platform/public-address.js';
import type { WebhookSettings } from './webhooks.settings.js';

/** What is kept of an answer. The rest of it is not waited for. */
const keptBytes = 1_024;

/** More than a webhook's receiver ever answers with. */
const mostHeaderBytes = 16 * 1_024;

/**
 * Calls endpoints over HTTP. An address is looked up once for each call, checked, and that very address is connected to;
 * redirects are not followed; the time and what is read of an answer are bounded. Each call has a connection of its own.
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
        return 'must be an address of the internet: private and local networks are not called';
      // A name may come to be known later. What it then leads to is looked at with each call.
    }
    return undefined;
  }

  async post({ environment, url, headers, body, signal }: WebhookCall): Promise<CallOutcome> {
    const parsed = this.parse(environment, url);
    // The setting may have changed since it was registered.
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
        // Never asked for an address that stands in the URL itself, which has been checked above as it is.
        lookup: (_name, options, found) =>
          options.all ? found(null, [address]) : found(null, address.address, address.family),
      });
      return await answerTo(request.end(body), either);
    } catch (error) {
      if (error instanceof ForbiddenAddress) return { kind: 'refused', error: error.message };
      if (limit.aborted) return { kind: 'no-answer', error: `no answer within ${timeoutMs} ms` };
      return { kind: 'no-answer', error: errorCode(error) ?? 'the connection was cut' };
    }
  }

  /** The address, or what is wrong with it. */
  private parse(environment: Environment, url: string): URL | string {
    const parsed = URL.parse(url);
    const plain = environment === 'test' && this.settings.allowHttp;
    const schemes = plain ? ['https:', 'http:'] : ['https:'];
    if (!parsed || !schemes.includes(parsed.protocol))
      return `must be an ${plain ? 'https:// or http://' : 'https://'} URL`;
    if (parsed.username || parsed.password)
      return 'must not hold a name and password: check the signature instead';
    if (parsed.hash) return 'must not have a fragment';
    return parsed;
  }
}

/** Listens to the signal for as long as the call lasts: when it ends, nothing of it is left that could be aborted. */
async function answerTo(request: ClientRequest, signal: AbortSignal): Promise<CallOutcome> {
  const abort = () => request.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort);
  try {
    // The event's only argument.
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    // What breaks now is seen where the answer is read.
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
    // The status has arrived, and is what counts: of the rest, what came is kept.
  }
  const answer = Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8').replaceAll('\0', '');
  return {
    kind: 'answered',
    statusCode: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    answer,
  };
}
