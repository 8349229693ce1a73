import { newEvents, writeOneByOne } from '#event-store/conformance/harness.js';
import { createEventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';

/**
 * A process of its own that appends to an event store, for tests of what several processes do to one log. Run as
 * `node event-writer.js URL PREFIX STREAMS EVENTS`.
 */
const [connectionString = '', prefix = '', streams, events] = process.argv.slice(2);
const store = createEventStoreDbEventStore({ connectionString });
const writing = Array.from({ length: Number(streams) }, (_, n) =>
  writeOneByOne(store, `${prefix}${n}`, newEvents(Number(events), 'WrittenElsewhere')),
);
await Promise.all(writing);
await store.close();
