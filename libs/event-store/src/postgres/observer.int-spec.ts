import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventStoreTemplate } from '../../../../test/support/postgres-event-store-harness.js';
import { startTcpProxy } from '../../../../test/support/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { freshPrefix, newEvent } from '../../../../test/event-store/harness.js';
import type { EventStore } from '../event-store.js';
import type { EventStoreObserver } from '../observer.js';
import { openPostgresStore } from '../../../../test/support/open-postgres-store.js';

describe('what the Postgres event store tells its observer', () => {
  let database: TestDatabase;
  let proxy: Awaited<ReturnType<typeof startTcpProxy>>;
  let store: EventStore;
  const heard: string[] = [];
  const observer: EventStoreObserver = {
    appended: (durationMs, result) => heard.push(durationMs > 0 ? result : 'without a duration'),
    retried: (operation) => heard.push(`retried ${operation}`),
    unknownOutcomeResolved: () => heard.push('resolved'),
    resubscribed: () => heard.push('resubscribed'),
    reconnected: () => heard.push('reconnected'),
  };

  beforeAll(async () => {
    database = await createTestDatabase({ template: eventStoreTemplate });
    proxy = await startTcpProxy(Number(new URL(database.url).port));
    const url = new URL(database.url);
    url.port = String(proxy.port);
    store = openPostgresStore(url.href, { answerTimeoutMs: 500, observer });
  });
  beforeEach(() => {
    heard.length = 0;
  });
  afterAll(async () => {
    await store.close();
    await proxy.close();
    await database.drop();
  });

  it('names how each append ended', async () => {
    const stream = freshPrefix();
    const event = newEvent();
    await store.append(stream, 'no-stream', [event]);
    await store.append(stream, 'no-stream', [event]);
    await store.append(stream, 5n, [newEvent()]);
    expect(heard).toEqual(['appended', 'replayed', 'wrong-expected-revision']);
  });

  it('counts a retry, and an unknown outcome that became known', async () => {
    proxy.holdAnswers();
    const appending = store.append(freshPrefix(), 'no-stream', [newEvent()]);
    await sleep(100);
    proxy.cut();
    proxy.restore();
    await appending;
    expect(new Set(heard)).toEqual(new Set(['retried append', 'resolved', 'replayed']));
  });

  it('tells of no retry when the last append was given up', async () => {
    const away = openPostgresStore('postgres://127.0.0.1:1/none', { deadlineMs: 0, observer });
    await expect(away.append(freshPrefix(), 'no-stream', [newEvent()])).rejects.toThrow();
    await away.close();
    expect(heard).not.toContain('retried append');
  });

  it('counts a read that was made again', async () => {
    proxy.refuse();
    proxy.cut();
    const reading = store.head();
    await sleep(100);
    proxy.restore();
    await reading;
    expect(new Set(heard)).toEqual(new Set(['retried read']));
  });

  it('counts a subscription that was taken up again, and the connection that it listens on', async () => {
    const ending = new AbortController();
    const consume = async () => {
      for await (const _batch of store.subscribe({ signal: ending.signal }));
    };
    const consuming = consume();
    // The test does not know how soon there is a connection to lose, so it tries until it has lost one.
    while (!heard.includes('resubscribed') || !heard.includes('reconnected')) {
      await store.append(freshPrefix(), 'no-stream', [newEvent()]);
      await sleep(200);
      proxy.refuse();
      proxy.cut();
      await sleep(200);
      proxy.restore();
    }
    ending.abort();
    await consuming;
  });
});
