import type { SettingsReader } from '#platform/configuration.js';

/** The addresses to which webhooks may be sent, and the limits of the calls. */
export interface WebhookSettings {
  /** Networks in CIDR notation that may be called although they are not part of the internet. */
  readonly allowedNetworks: readonly string[];
  /** Whether endpoints of the test environment may be `http://`. */
  readonly allowHttp: boolean;
  /** How long an endpoint may take to answer. */
  readonly timeoutMs: number;
  /** Calls that a worker makes at the same time, in each environment. */
  readonly concurrency: number;
}

export function readWebhookSettings(settings: SettingsReader): { readonly webhooks: WebhookSettings } {
  const webhooks = {
    allowedNetworks: settings.networks('ATELIER_WEBHOOK_ALLOWED_NETWORKS'),
    allowHttp: settings.flag('ATELIER_WEBHOOK_ALLOW_HTTP', false),
    timeoutMs: settings.integer('ATELIER_WEBHOOK_TIMEOUT_MS', 10_000, 100, 60_000),
    concurrency: settings.integer('ATELIER_WEBHOOK_CONCURRENCY', 16, 1, 256),
  };
  return { webhooks };
}
