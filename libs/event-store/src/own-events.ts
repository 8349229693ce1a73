import { environments } from '#domain/streams.js';
import type { EventFilter } from './event-store.js';

/** Every event of the service's own streams. Streams about the log itself, such as adoptions, belong to no environment. */
export const ownEvents: EventFilter = { streamPrefixes: environments.map((each) => `${each}.`) };
