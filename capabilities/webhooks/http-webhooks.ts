import { WebhookTransport, type WebhookCall } from './deliveries.js';
import type { Environment } from '#domain/streams.js';
import {
  callableUrl,
  complaintAboutHost,
  resolveByDns,
  resolvePublic,
  type ResolveName,
} from '#platform/public-address.js';
import { postOnce, type CallOutcome } from '#platform/webhook-call.js';
import type { WebhookSettings } from './webhooks.settings.js';

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
    return complaintAboutHost(parsed.hostname, this.settings.allowedNetworks, this.resolve);
  }

  async post({ environment, url, headers, body, signal }: WebhookCall): Promise<CallOutcome> {
    const parsed = this.parse(environment, url);
    // The setting may have changed since the endpoint was registered.
    if (typeof parsed === 'string') return { kind: 'refused', error: `the address ${parsed}` };
    const { timeoutMs, allowedNetworks } = this.settings;
    const address = () => resolvePublic(parsed.hostname, allowedNetworks, this.resolve);
    return postOnce(parsed, { headers, body, timeoutMs, signal, address });
  }

  /** The address, or the reason why it is refused. */
  private parse(environment: Environment, url: string): URL | string {
    const plain = environment === 'test' && this.settings.allowHttp;
    return callableUrl(url, plain ? ['https:', 'http:'] : ['https:']);
  }
}
