import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { erasedText } from '#domain/erased.js';
import { hasOwnKeys } from '#domain/streams.js';
import { decode } from '#domain/stored-events.js';
import { EventMacs } from '#event-store/authentic/event-macs.js';
import { storeWith, type EventStore, type NewEvent, type RecordedEvent } from '#event-store/event-store.js';
import { openEventStore, openHistorySealer, type OpenedEventStore } from '#event-store/open-event-store.js';
import { joinWords, partWords, type Words } from '#event-store/sealed/personal-words.js';
import { Peer } from '../../../test/eventstoredb/peer/peer.js';
import { openPostgresStore } from '../../../test/support/open-postgres-store.js';
import { eventStoreTemplate } from '../../../test/support/postgres-event-store-harness.js';
import { testKeys, testMasterKey, testProof } from '../../../test/support/signing-key.js';
import { tablesWith } from '../../../test/support/tables-with.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { copyEvents, type CopyOptions } from './copy-events.js';

interface History {
  readonly category: string;
  readonly events: readonly Omit<NewEvent, 'id'>[];
}

/** In each personal text of the old log, and nowhere else. */
const word = 'Quistgaard';

const histories = globSync('{test/golden,capabilities/*/test}/histories/*.json')
  .toSorted()
  .map((file) => JSON.parse(readFileSync(file, 'utf8')) as History);

function marked(value: unknown): unknown {
  if (typeof value === 'string') return `${value} ${word}`;
  if (Array.isArray(value)) return value.map(marked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, marked(member)]));
}

function withWord({ type, data, ...rest }: Omit<NewEvent, 'id'>): NewEvent {
  const parted = partWords(type, data);
  const words = parted && (marked(parted.words) as Words);
  return { ...rest, id: randomUUID(), type, data: words ? joinWords({ data: parted.data, words }) : data };
}

/** The events of every golden file, each file as a stream. Their order is that of requests that run side by side. */
async function tellHistories(store: EventStore): Promise<void> {
  const longest = Math.max(...histories.map(({ events }) => events.length));
  for (let place = 0; place < longest; place++)
    for (const [number, { category, events }] of histories.entries()) {
      const event = events[place];
      const expected = place === 0 ? 'no-stream' : BigInt(place - 1);
      if (event) await store.append(streamOf(category, number), expected, [withWord(event)]);
    }
}

const streamOf = (category: string, number: number) => `live.${category}-h${number}`;

describe('copying a history from before there was a master key with --seal', () => {
  let source: TestDatabase;
  let from: EventStore;
  let target: TestDatabase;
  let to: EventStore;
  /** The target as the service reads it. Its keys are beside the read models, and so beside the source. */
  let service: OpenedEventStore;

  beforeAll(async () => {
    source = await createTestDatabase({ template: eventStoreTemplate });
    from = openPostgresStore(source.url, { macs: new EventMacs(testProof) });
    await tellHistories(from);
  });
  afterAll(async () => {
    await from.close();
    await source.drop();
  });
  beforeEach(async () => {
    target = await createTestDatabase({ template: eventStoreTemplate });
    to = openPostgresStore(target.url);
    service = await openEventStore({ eventStoreUrl: target.url, databaseUrl: source.url }, testKeys);
  });
  afterEach(async () => {
    await service.close();
    await to.close();
    await target.drop();
  });

  /** A run of the command, which knows nothing of earlier runs. */
  async function copy(more: Partial<CopyOptions> = {}) {
    const keys = { words: { masterKey: testMasterKey }, proof: testProof };
    await using opened = await openHistorySealer({ databaseUrl: source.url }, keys);
    const { sealer } = opened;
    const { signal } = new AbortController();
    return await copyEvents({
      source: from,
      target: to,
      macs: new EventMacs(testProof),
      sealer,
      signal,
      ...more,
    });
  }

  const all = (store: EventStore) => store.readAll({ unprovenToo: true });
  /** What a reader is given of an event. */
  const meaning = ({ stream, revision, id, type, data, metadata }: RecordedEvent) => {
    const { mac: _, sealed: __, ...rest } = metadata;
    return { stream, revision, id, type, rest, event: decode({ type, data, metadata }) };
  };
  const byPlace = (events: readonly RecordedEvent[]) =>
    events
      .map((event) => [`${event.stream} ${event.revision}`, meaning(event)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
  async function tables(database: TestDatabase): Promise<string[]> {
    const sql = new pg.Pool({ connectionString: database.url, max: 1 });
    try {
      return await tablesWith(sql, word);
    } finally {
      await sql.end();
    }
  }

  it('leaves no personal word of any version of any event in the target, and every event reads the same', async () => {
    const before = await all(from);
    const withWords = before.filter(({ data }) => JSON.stringify(data).includes(word));
    expect(new Set(withWords.map(({ type }) => type)).size).toBeGreaterThan(20);
    expect(await tables(source)).toEqual(['event_store.events']);

    const result = await copy();
    expect(result).toMatchObject({
      verified: true,
      copied: before.length,
      sealed: withWords.length,
      unproven: 0,
      differences: [],
    });
    expect(result.target).toEqual(result.source);
    expect(await tables(target)).toEqual([]);
    // Read without `unprovenToo`: each event proves its writer.
    expect(byPlace(await service.store.readAll())).toEqual(byPlace(before));
    expect(await all(from)).toEqual(before);
  });

  it('leaves events without plain words as they are stored, also those that are encrypted already', async () => {
    const stream = 'live.product-later';
    await using sealing = await openEventStore(
      { eventStoreUrl: source.url, databaseUrl: source.url },
      testKeys,
    );
    const product = histories.find(({ category }) => category === 'product')!.events[0]!;
    const { position } = (await sealing.store.append(stream, 'no-stream', [withWord(product)])) as {
      position: bigint;
    };
    expect(await copy()).toMatchObject({ verified: true });
    const untouched = (events: readonly RecordedEvent[]) =>
      new Map(events.map(({ position: _, ...event }) => [event.id, event]));
    const [theirs, ours] = [untouched(await all(from)), untouched(await all(to))];
    const [later] = await from.readAll({ after: position - 1n });
    expect(later?.metadata.sealed).toBeDefined();
    expect(ours.get(later!.id)).toEqual(theirs.get(later!.id));
    const plain = [...theirs.values()].filter(({ data }) => !JSON.stringify(data).includes(word));
    expect(plain.length).toBeGreaterThan(20);
    for (const event of plain) expect(ours.get(event.id)).toEqual(event);
  });

  it('does so in EventStoreDB (the peer) as well', async () => {
    const peer = await new Peer().start();
    const urls = { eventStoreUrl: peer.url, databaseUrl: source.url };
    await using there = await openEventStore(urls, testKeys);
    await using raw = await openEventStore(urls);
    await using before = await openEventStore({ ...urls, eventStoreUrl: source.url }, testKeys);
    expect(await copy({ target: raw.store })).toMatchObject({ verified: true, unproven: 0 });
    const texts = peer.log.events.map(({ data, metadata }) => Buffer.concat([data, metadata]).toString());
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter((text) => text.includes(word))).toEqual([]);
    expect(byPlace(await there.store.readAll())).toEqual(byPlace(await before.store.readAll()));
    peer.stop();
  });

  it('goes on where it was broken off, with the same keys', async () => {
    const stopping = new AbortController();
    let appends = 0;
    const breaking = storeWith(to, {
      append: (...given) => {
        // Its waves are of one append each: many of them have streams that go on later.
        if (++appends === 60) stopping.abort(new Error('killed'));
        return to.append(...given);
      },
    });
    const slow = storeWith(from, {
      async *subscribe(options) {
        for await (const batch of from.subscribe({ ...options, batchSize: 20 })) yield batch;
      },
    });
    await expect(copy({ source: slow, target: breaking, signal: stopping.signal })).rejects.toThrow('killed');
    const first = await all(to);
    const total = (await all(from)).length;
    expect(first.length).toBeGreaterThan(20);
    expect(first.length).toBeLessThan(total);

    const result = await copy();
    expect(result).toMatchObject({ verified: true, copied: total - first.length, target: { events: total } });
    const after = await all(to);
    expect(after.slice(0, first.length)).toEqual(first);
    const keysOf = Map.groupBy(
      after.filter(({ metadata }) => metadata.sealed),
      ({ stream }) => stream,
    );
    for (const [stream, events] of keysOf) {
      const ids = new Set(events.map(({ metadata }) => metadata.sealed!.key));
      expect({ stream, keys: ids.size }).toEqual({ stream, keys: 1 });
      // A key of a sheet, or the one of the tenant.
      expect({ stream, ofSheet: [...ids][0]!.includes('.') }).toEqual({
        stream,
        ofSheet: hasOwnKeys(stream),
      });
    }
    expect(await copy()).toMatchObject({ verified: true, copied: 0, sealed: 0 });
    expect(await tables(target)).toEqual([]);
  });

  it('lets the words of old events be erased afterwards, and the copy counts them as erased then', async () => {
    await copy();
    const job = histories.findIndex(({ category }) => category === 'job');
    const stream = streamOf('job', job);
    expect(await service.erasure.eraseWords([stream])).toMatchObject({ underTenantKey: 0, plain: 0 });
    const slice = await service.store.readStream(stream, { limit: 1 });
    const [queued] = slice.kind === 'found' ? slice.events : [];
    expect(queued).toMatchObject({ type: 'JobQueued', data: { displayName: erasedText, request: {} } });
    expect(await copy()).toMatchObject({ verified: true, copied: 0 });
  });

  it('refuses a target that a copy without --seal has filled, before it writes anything', async () => {
    await copyEvents({ source: from, target: to, signal: new AbortController().signal });
    const before = await all(to);
    await expect(copy()).rejects.toThrow(
      /the target was not filled by a copy with --seal alone: revision \d+ of live\..* holds personal words as plain text\. Copy into an empty store/,
    );
    expect(await all(to)).toEqual(before);
  });

  it('refuses a target with an event that another program has altered', async () => {
    await copy();
    await using sql = await altered(target);
    await sql.query(
      `update event_store.events set data = replace(data::text, '"amount":', '"amount":1')::json
        where type = 'CreditsPurchased'`,
    );
    await expect(copy()).rejects.toThrow(
      /revision \d+ of live\.account-h\d+ carries a MAC that does not fit it/,
    );
  });

  async function altered({ url }: TestDatabase) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('alter table event_store.events disable trigger append_only');
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
  }
});
