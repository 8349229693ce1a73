import { isEventStoreDbUrl } from '#event-store/eventstoredb/connection-string.js';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { openPostgresStore } from '../support/open-postgres-store.js';
import { newEvents, writeOneByOne } from './harness.js';

/**
 * Appends to an event store from a process of its own, for tests in which several processes write to one log.
 * Run it as `node event-writer.js URL PREFIX STREAMS EVENTS`.
 */
const [url = '', prefix = '', streams, events] = process.argv.slice(2);
const store = isEventStoreDbUrl(url)
  ? new EventStoreDbEventStore({ connectionString: url })
  : openPostgresStore(url);
const writing = Array.from({ length: Number(streams) }, (_, n) =>
  writeOneByOne(store, `${prefix}${n}`, newEvents(Number(events), 'WrittenElsewhere')),
);
await Promise.all(writing);
await store.close();
