/** The data environment that a key's prefix selects: `sk_live_…` or `sk_test_…`. */
export type Environment = 'live' | 'test';

export const environments: readonly Environment[] = ['live', 'test'];
