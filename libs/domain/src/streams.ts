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
] as const;

export type StreamCategory = (typeof streamCategories)[number];

const streamPattern = /^(live|test)\.(account|job|key|asset|product|preset|operation|usage)-(.+)$/;

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
  const match = streamPattern.exec(stream);
  if (!match) return undefined;
  // The pattern has these three groups, and each of them matches.
  const [, environment, category, id] = match as unknown as [string, Environment, StreamCategory, string];
  return { environment, category, id };
}
