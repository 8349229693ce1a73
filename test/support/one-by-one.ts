import { storeWith, type EventStore } from '#event-store/event-store.js';

/** Writes one stream at a time, as EventStoreDB does. */
export function oneByOne(store: EventStore): EventStore {
  const alone = storeWith(store, {});
  delete alone.appendTogether;
  return alone;
}
