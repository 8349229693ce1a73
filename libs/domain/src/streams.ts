/** The data environment that a key's prefix selects: `sk_live_…` or `sk_test_…`. */
export type Environment = 'live' | 'test';

export const environments: readonly Environment[] = ['live', 'test'];

export const streamCategories = [
  'account',
  'job',
  'key',
  'asset',
  'product',
  'preset',
  'operation',
  'usage',
  'webhook',
  'delivery',
  'grant',
  'operator',
  'action',
] as const;

export type StreamCategory = (typeof streamCategories)[number];

/** Before the id: `live.account`, `test.job` and so on. */
const categoriesByPrefix = new Map<string, { environment: Environment; category: StreamCategory }>(
  environments.flatMap((environment) =>
    streamCategories.map((category) => [`${environment}.${category}`, { environment, category }] as const),
  ),
);

/** The event stream of one thing, for example `live.account-01J…`. The environment comes first so that one prefix selects it whole. */
export function streamName(environment: Environment, category: StreamCategory, id: string): string {
  return `${environment}.${category}-${id}`;
}

/** All streams of one category in one environment, as a prefix for subscriptions and reads. */
export function categoryPrefix(environment: Environment, category: StreamCategory): string {
  return `${environment}.${category}-`;
}

/** The parts of a stream name, or undefined for a name that this service does not write. */
export function parseStreamName(
  stream: string,
): { environment: Environment; category: StreamCategory; id: string } | undefined {
  // Asked for every event of a history: much faster than a pattern.
  const dash = stream.indexOf('-');
  const known = categoriesByPrefix.get(stream.slice(0, Math.max(dash, 0)));
  const id = stream.slice(dash + 1);
  return known && id !== '' ? { ...known, id } : undefined;
}
