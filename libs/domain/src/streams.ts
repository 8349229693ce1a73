import { environments, type Environment } from './environment.js';
import { eventFamilies, type AnyFamily } from './event-families.js';

export { environments, type Environment };

export type StreamCategory = AnyFamily['category'];

// A family is typed by its category where it is declared.
export const streamCategories = eventFamilies.map(({ category }) => category as StreamCategory);

/** Before the id: `live.account`, `test.job` and so on. */
const categoriesByPrefix = new Map<string, { environment: Environment; category: StreamCategory }>(
  environments.flatMap((environment) =>
    streamCategories.map((category) => [`${environment}.${category}`, { environment, category }] as const),
  ),
);

/** Streams whose words are under keys of their own. */
const categoriesWithOwnKeys = new Set<string>(
  eventFamilies.filter(({ ownKeys }) => ownKeys).map(({ category }) => category),
);

/**
 * The event stream of one thing, for example `live.account-01J…`. The environment comes first, so that one
 * prefix selects all of its streams.
 */
export function streamName(environment: Environment, category: StreamCategory, id: string): string {
  return `${environment}.${category}-${id}`;
}

export function categoryPrefix(environment: Environment, category: StreamCategory): string {
  return `${environment}.${category}-`;
}

/** The parts of a stream name; undefined for a name that this service does not write. */
export function parseStreamName(
  stream: string,
): { environment: Environment; category: StreamCategory; id: string } | undefined {
  // This runs for every event of a history, and is much faster than a pattern.
  const dash = stream.indexOf('-');
  const known = categoriesByPrefix.get(stream.slice(0, Math.max(dash, 0)));
  const id = stream.slice(dash + 1);
  return known && id !== '' ? { ...known, id } : undefined;
}

/** Whether keys of this stream alone encrypt its personal words. Otherwise a key of the whole tenant does. */
export function hasOwnKeys(stream: string): boolean {
  const parsed = parseStreamName(stream);
  return parsed !== undefined && categoriesWithOwnKeys.has(parsed.category);
}
