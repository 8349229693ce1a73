import { environments } from '#domain/streams.js';
import type { EventFilter } from './event-store.js';

/**
 * Every event of the service's own streams, except streams about the log itself, such as adoptions: these
 * belong to no environment.
 */
export const ownEvents: EventFilter = { streamPrefixes: environments.map((each) => `${each}.`) };
