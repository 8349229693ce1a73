import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freshPrefix, newEvents } from '#event-store/conformance/harness.js';
import { openEventStore, prepareEventStore } from '#event-store/open-event-store.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { Stores } from './stores.js';

describe('EVENT_STORE_URL', () => {
  const stores = new Stores();
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => stores.close());
  afterAll(() => database.drop());

  it('chooses EventStoreDB for the log, and PostgreSQL keeps the snapshots beside it', async () => {
    const peer = await stores.peer();
    const urls = { eventStoreUrl: peer.url, databaseUrl: database.url };
    await prepareEventStore(urls);
    const { store, snapshots, close } = await openEventStore(urls);
    const stream = freshPrefix();
    await store.append(stream, 'no-stream', newEvents(2));
    await snapshots.save(stream, 1, 1n, { sum: 1 });
    expect(peer.log.stream(stream)).toHaveLength(2);
    expect(await snapshots.load(stream, 1)).toEqual({ revision: 1n, state: { sum: 1 } });
    await close();
  });

  it('chooses PostgreSQL for the log', async () => {
    const urls = { eventStoreUrl: database.url, databaseUrl: database.url };
    await prepareEventStore(urls);
    const { store, close } = await openEventStore(urls);
    const outcome = await store.append(freshPrefix(), 'no-stream', newEvents(1));
    expect(outcome).toMatchObject({ outcome: 'appended', position: 1n });
    await close();
  });

  it('is refused when no store has such a scheme, without being quoted', async () => {
    const eventStoreUrl = 'mysql://admin:hunter2@db';
    const open = () => openEventStore({ eventStoreUrl, databaseUrl: database.url });
    await expect(open()).rejects.toThrow(RangeError);
    await expect(open()).rejects.not.toThrow(/hunter2/);
  });
});
