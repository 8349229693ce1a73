import { storeWith, type EventStore } from '#event-store/event-store.js';

/** As EventStoreDB is: it writes one stream at a time. */
export function oneByOne(store: EventStore): EventStore {
  const alone = storeWith(store, {});
  delete alone.appendTogether;
  return alone;
}
