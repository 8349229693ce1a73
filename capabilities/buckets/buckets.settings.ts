import type { SettingsReader } from '#platform/configuration.js';

/** The addresses at which buckets of tenants may be, and the limits of the calls. */
export interface BucketSettings {
  /** Networks in CIDR notation that may be called although they are not part of the internet. */
  readonly allowedNetworks: readonly string[];
  /** Whether endpoints of the test environment may be `http://`. */
  readonly allowHttp: boolean;
  /** How long one object may take. */
  readonly timeoutMs: number;
}

export function readBucketSettings(settings: SettingsReader): { readonly buckets: BucketSettings } {
  const buckets = {
    allowedNetworks: settings.networks('ATELIER_BUCKET_ALLOWED_NETWORKS'),
    allowHttp: settings.flag('ATELIER_BUCKET_ALLOW_HTTP', false),
    timeoutMs: settings.integer('ATELIER_BUCKET_TIMEOUT_MS', 60_000, 100, 600_000),
  };
  return { buckets };
}
