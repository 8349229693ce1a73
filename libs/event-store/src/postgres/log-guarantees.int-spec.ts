import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type pg from 'pg';
import { randomBytes } from 'node:crypto';
import { writeElsewhere } from '../../../../test/event-store/write-elsewhere.js';
import { eventually } from '../../../../test/support/eventually.js';
import { eventStoreTemplate } from '../../../../test/support/postgres-event-store-harness.js';
import { startTcpProxy } from '../../../../test/support/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import {
  collect,
  eventsIn,
  expectUnbroken,
  freshPrefix,
  newEvent,
  newEvents,
  writeOneByOne,
} from '../../../../test/event-store/harness.js';
import {
  AppendOutcomeUnknown,
  DuplicateEventId,
  EventStoreUnavailable,
  type EventStore,
} from '../event-store.js';
import { appendBatch } from './append-statement.js';
import { queriesOn } from './connection.js';
import { createEventStorePool, PostgresEventStore } from './postgres-event-store.js';
import { migrateEventStore } from './schema.js';
import { serialiseAppend } from '../serialised-event.js';
import { openPostgresStore } from '../../../../test/support/open-postgres-store.js';

let database: TestDatabase;
let pool: pg.Pool;
let store: EventStore;

beforeEach(async () => {
  database = await createTestDatabase({ template: eventStoreTemplate });
  pool = createEventStorePool(database.url);
  store = new PostgresEventStore({ pool });
});

afterEach(async () => {
  await store.close();
  await pool.end();
  await database.drop();
});

async function value<T>(sql: string): Promise<T> {
  const { rows } = await pool.query<{ value: T }>(`select (${sql}) as value`);
  return rows[0]!.value;
}

describe('the log in PostgreSQL', () => {
  it('delivers events together that come while a subscription has patience', async () => {
    const options = { after: (await store.head()) ?? 0n, patienceMs: () => 3_000 };
    let live: Promise<unknown> | undefined;
    const { batches } = await collect(
      store,
      options,
      ({ events }) => events.length >= 5,
      ({ caughtUp }) => {
        if (caughtUp) live ??= writeOneByOne(store, 'together', newEvents(5));
      },
    );
    await live;
    expect(batches.map(({ events }) => events.length)).toEqual([0, 5]);
  });

  it.each([
    ['UPDATE', `update event_store.events set type = 'Forged'`],
    ['DELETE', 'delete from event_store.events'],
    ['TRUNCATE', 'truncate event_store.events'],
  ])('refuses %s, whoever asks', async (verb, sql) => {
    await store.append('kept', 'no-stream', newEvents(1));
    await expect(pool.query(sql)).rejects.toThrow(
      `the event log is append-only: ${verb} of event_store.events is refused`,
    );
    expect(await value('select count(*)::int from event_store.events')).toBe(1);
  });

  it('leaves no gap where a transaction was rolled back, and shows nothing of it', async () => {
    const client = await pool.connect();
    for (let n = 0; n < 5; n++) {
      await client.query('begin');
      const stream = `undone-${n}`;
      const append = {
        stream,
        expected: 'any',
        events: serialiseAppend(stream, 'any', newEvents(3)),
      } as const;
      await appendBatch(queriesOn(client, 5000), [[append]]);
      const meanwhile = store.append(`kept-${n}`, 'no-stream', newEvents(2));
      await new Promise((resume) => setTimeout(resume, 10));
      await client.query('rollback');
      await meanwhile;
    }
    client.release();
    const events = await store.readAll();
    expect(events.map(({ position }) => position)).toEqual(
      Array.from({ length: 10 }, (_, n) => BigInt(n + 1)),
    );
    expect(events.every(({ stream }) => stream.startsWith('kept-'))).toBe(true);
    expect(await store.head()).toBe(10n);
  });

  it('shows no position before all smaller ones, at any moment, while several processes write', async () => {
    const finished = new AbortController();
    const others = ['a', 'b'].map((name) =>
      writeElsewhere(database.url, { prefix: `${name}-`, streams: 8, events: 40 }),
    );
    const own = Promise.all(
      Array.from({ length: 8 }, (_, n) => writeOneByOne(store, `own-${n}`, newEvents(40))),
    );
    const done = Promise.all([...others, own]).finally(() => finished.abort());
    const snapshots: { events: number; last: number; head: number }[] = [];
    while (!finished.signal.aborted) {
      const { rows } = await pool.query<{ events: number; last: number; head: number }>(
        `select count(*)::int as events, coalesce(max(position), 0)::int as last,
          (select position::int from event_store.head) as head from event_store.events`,
      );
      snapshots.push(...rows);
    }
    await done;
    expect(snapshots.filter(({ events, last, head }) => events !== last || head !== last)).toEqual([]);
    expect(new Set(snapshots.map(({ last }) => last)).size).toBeGreaterThan(5);
    expect(await store.head()).toBe(960n);
  });

  it('does not let a subscription pass events of a transaction that is still open', async () => {
    const client = await pool.connect();
    await client.query('begin');
    const append = {
      stream: 'open',
      expected: 'any',
      events: serialiseAppend('open', 'any', newEvents(2)),
    } as const;
    await appendBatch(queriesOn(client, 5000), [[append]]);
    const later = store.append('later', 'no-stream', newEvents(1));
    const ending = new AbortController();
    const delivered: string[] = [];
    for await (const { events, position } of store.subscribe({ signal: ending.signal })) {
      delivered.push(...events.map(({ stream }) => stream));
      if (position === 0n) setTimeout(() => void client.query('commit').then(() => client.release()), 100);
      if (position === 3n) ending.abort();
    }
    await later;
    expect(delivered).toEqual(['open', 'open', 'later']);
  });

  it('commits appends that wait together once', async () => {
    await Promise.all(
      Array.from({ length: 400 }, (_, n) => store.append(`s-${n}`, 'no-stream', newEvents(1))),
    );
    const commits = await value<number>('select count(distinct xmin::text)::int from event_store.events');
    expect(commits).toBeLessThanOrEqual(2);
  });

  it('commits appends once that wait together and read the same stream', async () => {
    await store.append('read', 'no-stream', newEvents(1));
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        store.appendTogether!([
          { stream: `s-${n}`, expectedRevision: 'no-stream', events: newEvents(1) },
          { stream: 'read', expectedRevision: 0n, events: [] },
        ]),
      ),
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(outcomes.map(() => 'appended'));
    const commits = await value<number>(
      `select count(distinct xmin::text)::int from event_store.events where stream <> 'read'`,
    );
    expect(commits).toBeLessThanOrEqual(2);
  });

  it('keeps the order of appends to one stream that wait together', async () => {
    const events = newEvents(20);
    const outcomes = await Promise.all(events.map((event) => store.append('queue', 'any', [event])));
    expect(outcomes.map((result) => result.outcome === 'appended' && Number(result.revision))).toEqual([
      ...events.keys(),
    ]);
    expect(await eventsIn(store, 'queue')).toMatchObject(events.map(({ id }) => ({ id })));
  });

  it('refuses an id that another stream has, and only that append of all that wait together', async () => {
    const taken = newEvent();
    await store.append('first', 'no-stream', [taken]);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        store.append(`s-${n}`, 'no-stream', n === 7 ? [newEvent(), taken] : newEvents(1)),
      ),
    );
    const failed = results.flatMap((result, n) =>
      result.status === 'rejected' ? [{ n, reason: result.reason as unknown }] : [],
    );
    expect(failed).toEqual([{ n: 7, reason: expect.any(DuplicateEventId) }]);
    expect(await store.readStream('s-7')).toEqual({ kind: 'stream-not-found' });
    expect(await store.head()).toBe(20n);
  });

  it('survives that the server ends all its connections, idle and listening ones too', async () => {
    const prefix = freshPrefix();
    const ending = new AbortController();
    const delivered: Awaited<ReturnType<EventStore['readAll']>>[number][] = [];
    let writing: Promise<void> | undefined;
    for await (const { events, caughtUp } of store.subscribe({ signal: ending.signal })) {
      delivered.push(...events);
      if (caughtUp) writing ??= disturbAndWrite(`${prefix}a`);
      if (delivered.length >= 60) ending.abort();
    }
    await writing;
    expectUnbroken(delivered);

    async function disturbAndWrite(stream: string): Promise<void> {
      for (let n = 0; n < 3; n++) {
        await pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
        );
        await writeOneByOne(store, `${stream}${n}`, newEvents(20));
      }
    }
  });

  it('listens with one connection until the last subscription has ended', async () => {
    const listeners = () =>
      value<number[] | null>(
        `select array_agg(pid) from pg_stat_activity where datname = current_database() and query like 'listen%'`,
      );
    const [first, others] = [new AbortController(), new AbortController()];
    const follow = async ({ signal }: AbortController) => {
      for await (const { events } of store.subscribe({ signal })) expect(events).toEqual([]);
    };
    const running = [first, first, others].map(follow);
    const before = await eventually(async () => (await listeners()) ?? false);
    first.abort();
    await Promise.all(running.slice(0, 2));
    running.push(follow(others));
    // Another connection would be there by then, and this one gone.
    await new Promise((resume) => setTimeout(resume, 300));
    expect(before).toHaveLength(1);
    expect(await listeners()).toEqual(before);
    others.abort();
    await Promise.all(running);
    await eventually(async () => (await listeners()) === null);
  });

  it('wakes a subscription in another process at once, and is not confused by a stranger’s notification', async () => {
    const other = openPostgresStore(database.url);
    const ending = new AbortController();
    const delays: number[] = [];
    let appendedAt = 0;
    const write = async () => {
      await pool.query(`select pg_notify('event_store_appended', 'nonsense')`);
      appendedAt = performance.now();
      await store.append(`s-${delays.length}`, 'no-stream', newEvents(1));
    };
    for await (const { events, caughtUp } of other.subscribe({ signal: ending.signal })) {
      if (events.length > 0) delays.push(performance.now() - appendedAt);
      if (delays.length === 5) ending.abort();
      else if (caughtUp) setTimeout(() => void write(), 30);
    }
    await other.close();
    // The poll that stands behind the notifications comes once a second.
    expect(delays.toSorted((a, b) => a - b)[2]).toBeLessThan(200);
  });

  it('ends a page of a subscription at 8 MiB, however many events may be in a batch', async () => {
    for (let n = 0; n < 24; n++) await store.append(`big-${n}`, 'no-stream', [newEvent('x'.repeat(900_000))]);
    const ending = new AbortController();
    const sizes: number[] = [];
    for await (const { events, caughtUp } of store.subscribe({ signal: ending.signal })) {
      sizes.push(events.length);
      if (caughtUp) ending.abort();
    }
    expect(sizes).toEqual([10, 10, 4]);
  });

  it('passes over nothing behind a page of exactly 8 MiB', async () => {
    const sizeOf = (name: string) =>
      value<number>(
        `select pg_column_size(data) + pg_column_size(metadata) from event_store.events where stream = '${name}'`,
      );
    // Random hexadecimal digits do not compress, so a row is as long as its text.
    const filled = (length: number) => newEvent(randomBytes(length).toString('hex').slice(0, length));
    for (let n = 0; n < 9; n++) await store.append(`page-${n}`, 'no-stream', [filled(900_000)]);
    const pageBytes = 8 * 1024 * 1024;
    const missing = pageBytes - 9 * (await sizeOf('page-0'));
    const frame = (await sizeOf('page-0')) - 900_000;
    await store.append('page-9', 'no-stream', [filled(missing - frame)]);
    const sum = 'sum(pg_column_size(data) + pg_column_size(metadata))::int';
    expect(await value(`select ${sum} from event_store.events`)).toBe(pageBytes);
    for (let n = 10; n < 13; n++) await store.append(`page-${n}`, 'no-stream', newEvents(1));
    const ending = new AbortController();
    let delivered = 0;
    for await (const { events, caughtUp } of store.subscribe({ signal: ending.signal })) {
      delivered += events.length;
      if (caughtUp) ending.abort();
    }
    expect(delivered).toBe(13);
  });

  it('commits no more than 4 MiB of appends that wait together at once', async () => {
    const streams = Array.from({ length: 9 }, (_, n) => `big-${n}`);
    const big = () => [newEvent('x'.repeat(1_000_000))];
    await Promise.all(streams.map((stream) => store.append(stream, 'no-stream', big())));
    const together = await value<number>(
      'select max(n)::int from (select count(*) as n from event_store.events group by xmin::text) batches',
    );
    expect(together).toBe(4);
  });

  it('does not say that an append has not happened whose answer was lost before a refusal', async () => {
    const proxy = await startTcpProxy(Number(new URL(database.url).port));
    const url = new URL(database.url);
    url.port = String(proxy.port);
    const proxied = openPostgresStore(url.href);
    try {
      await proxied.append('before', 'no-stream', newEvents(1));
      proxy.holdAnswers();
      const appending = proxied.append('charged', 'no-stream', newEvents(1)).catch((error: unknown) => error);
      while ((await store.readStream('charged')).kind !== 'found');
      // The function is gone when the append is sent again, so the server refuses it.
      await pool.query('alter function event_store.append_batch rename to gone');
      proxy.cut();
      proxy.restore();
      expect(await appending).toBeInstanceOf(AppendOutcomeUnknown);
    } finally {
      await proxied.close();
      await proxy.close();
    }
  });

  it('refuses a checkpoint from beyond the end of the log', async () => {
    await store.append('s', 'no-stream', newEvents(3));
    const { signal } = new AbortController();
    const subscription = store.subscribe({ after: 4n, signal })[Symbol.asyncIterator]();
    await expect(subscription.next()).rejects.toThrow('The checkpoint 4 lies beyond the end of the log (3)');
  });

  it('migrates once, however many processes try at the same time, and says when nobody did', async () => {
    const bare = await createTestDatabase();
    const pools = [1, 2, 3].map(() => createEventStorePool(bare.url));
    const early = new PostgresEventStore({ pool: pools[0]! });
    const attempt = early.append('s', 'no-stream', newEvents(1));
    await expect(attempt).rejects.toThrow(EventStoreUnavailable);
    await expect(attempt).rejects.toThrow('was it migrated?');
    await Promise.all(pools.flatMap((each) => [migrateEventStore(each), migrateEventStore(each)]));
    expect(await early.append('s', 'no-stream', newEvents(1))).toMatchObject({
      outcome: 'appended',
      position: 1n,
    });
    // A gap would make a later release pass over its own migration.
    const { rows } = await pools[0]!.query<{ version: number }>(
      'select version from event_store.migrations order by version',
    );
    expect(rows.map(({ version }) => version)).toEqual(rows.map((_, index) => index + 1));
    await Promise.all(pools.map((each) => each.end()));
    await bare.drop();
  });
});

describe('reads that share a connection', () => {
  it('may have any filter, one after the other, and none has to be sent again', async () => {
    const one = createEventStorePool(database.url, 1);
    const failures: string[] = [];
    const observer = { retried: (_operation: string, why: string) => void failures.push(why) };
    const alone = new PostgresEventStore({ pool: one, observer });
    const prefix = freshPrefix();
    await alone.append(`${prefix}-a`, 'no-stream', [newEvent({}, { type: 'First' })]);
    await alone.append(`${prefix}-b`, 'no-stream', [newEvent({}, { type: 'Second' })]);
    const types = ['First'];
    const streamPrefixes = [`${prefix}-b`];
    const counts: number[] = [];
    for (const filter of [{}, { types }, { streamPrefixes }, { types, streamPrefixes }])
      counts.push((await alone.readAll({ filter })).length);
    expect({ counts, failures }).toEqual({ counts: [2, 1, 1, 0], failures: [] });
    await alone.close();
    await one.end();
  });
});
