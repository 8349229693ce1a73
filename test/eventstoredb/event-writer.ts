import { newEvents, writeOneByOne } from '../event-store/harness.js';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';

/**
 * Appends to an event store from a process of its own, for tests in which several processes write to one log.
 * Run it as `node event-writer.js URL PREFIX STREAMS EVENTS`.
 */
const [connectionString = '', prefix = '', streams, events] = process.argv.slice(2);
const store = new EventStoreDbEventStore({ connectionString });
const writing = Array.from({ length: Number(streams) }, (_, n) =>
  writeOneByOne(store, `${prefix}${n}`, newEvents(Number(events), 'WrittenElsewhere')),
);
await Promise.all(writing);
await store.close();
