import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freshPrefix, newEvents } from '../event-store/harness.js';
import {
  openEventStore,
  prepareEventStore,
  readAppendLimit,
  weaknessOfPassword,
} from '#event-store/open-event-store.js';
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

  it('is refused when no store has such a scheme, without being quoted', async () => {
    const eventStoreUrl = 'mysql://admin:hunter2@db';
    const open = () => openEventStore({ eventStoreUrl, databaseUrl: database.url });
    await expect(open()).rejects.toThrow(RangeError);
    await expect(open()).rejects.not.toThrow(/hunter2/);
  });
});

describe('what a node tells of its settings', () => {
  it('is how much it takes in one append, and the smallest of several nodes counts', async () => {
    await using large = await nodeThatTells({ MaxAppendSize: '2097152' });
    await using small = await nodeThatTells({ MaxAppendSize: '65536' });
    const limit = await readAppendLimit(
      `esdb+discover://127.0.0.1:${large.port},127.0.0.1:${small.port}?tls=false`,
      3_000,
    );
    expect(limit).toEqual({ ours: 1024 * 1024, theirs: 65_536 });
  });

  it('is nothing where it asks for a user, or does not answer', async () => {
    await using closed = await nodeThatTells(undefined);
    expect(await readAppendLimit(`esdb://127.0.0.1:${closed.port}?tls=false`, 3_000)).toEqual({
      ours: 1024 * 1024,
      theirs: undefined,
    });
    expect((await readAppendLimit('esdb://127.0.0.1:1?tls=false', 3_000))?.theirs).toBeUndefined();
  });
});

describe('the password of EVENT_STORE_URL', () => {
  it.each([
    ['esdb://admin:@node:2113?tls=true', /the password of admin is empty/],
    ['esdb+discover://ops:changeit@a:2113,b:2113', /the password of ops is the one/],
  ])('is weak in %s', (url, weakness) => {
    expect(weaknessOfPassword(url)).toMatch(weakness);
  });

  it.each(['esdb://admin:e8a1f0@node:2113', 'esdb://node:2113?tls=false', 'postgres://u:@db/atelier'])(
    'is no matter in %s',
    (url) => expect(weaknessOfPassword(url)).toBeUndefined(),
  );
});

/** A node's own pages over HTTP; without options it requires a login. */
async function nodeThatTells(options: Record<string, string> | undefined) {
  const server = createServer((_request, response) => {
    if (!options) return response.writeHead(401).end();
    const listed = Object.entries(options).map(([name, value]) => ({ name, value }));
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(listed));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
