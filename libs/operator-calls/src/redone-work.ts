import type { EventStore } from '#event-store/event-store.js';
import type { Configuration } from '#platform/configuration.js';

/** Work that the service does again, before it answers, when its log was restored from before it. */
export interface RedoneWork {
  /** In the plural: `erasures`. */
  readonly what: string;
  /** How much of it this log lacks. @throws what the object storage throws */
  count(store: EventStore, configuration: Configuration): Promise<number>;
}
