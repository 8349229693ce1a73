import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventStoreTemplate } from '../../../test/support/postgres-event-store-harness.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { newEvent } from '../../../test/event-store/harness.js';
import {
  AppendOutcomeUnknown,
  EventStoreUnavailable,
  storeWith,
  type EventStore,
  type NewEvent,
  type RecordedEvent,
} from '#event-store/event-store.js';
import { copyEvents, type CopyProgress } from './copy-events.js';
import { openPostgresStore } from '../../../test/support/open-postgres-store.js';

const quiet = new AbortController().signal;
const events = 3_000;

const ofRequest = (requestId: string, data: unknown): NewEvent => {
  const event = newEvent(data);
  return { ...event, metadata: { ...event.metadata, requestId } };
};

/**
 * Appends dispatches in the order of a real log: a debit, a job, its end, and the closing of the charge, for
 * many at a time.
 */
async function fill(store: EventStore, prefix: string, count: number): Promise<void> {
  const tenants = 5;
  const dispatch = async (n: number) => {
    const account = `${prefix}account-${n % tenants}`;
    const job = `${prefix}job-${n}`;
    await store.append(account, 'any', [ofRequest(`r${n}`, { debit: n })]);
    await store.append(job, 'no-stream', [ofRequest(`r${n}`, { queued: n, text: 'é\u0000😀' })]);
    await store.append(job, 0n, [ofRequest(`r${n}`, { started: n }), ofRequest(`r${n}`, [1, null, 0.1])]);
    await store.append(account, 'any', [ofRequest(`r${n}`, { settle: n })]);
  };
  for (let from = 0; from < count / 5; from += 100)
    await Promise.all(Array.from({ length: Math.min(100, count / 5 - from) }, (_, n) => dispatch(from + n)));
}

describe('copying a history into another store', () => {
  let source: TestDatabase;
  let from: EventStore;
  let target: TestDatabase;
  let to: EventStore;
  const open = (database: TestDatabase) => openPostgresStore(database.url);

  beforeAll(async () => {
    source = await createTestDatabase({ template: eventStoreTemplate });
    from = open(source);
    await fill(from, '', events);
  });
  afterAll(async () => {
    await from.close();
    await source.drop();
  });
  beforeEach(async () => {
    target = await createTestDatabase({ template: eventStoreTemplate });
    to = open(target);
  });
  afterEach(async () => {
    await to.close();
    await target.drop();
  });

  const copy = (onProgress: (progress: CopyProgress) => void = () => undefined, signal = quiet) =>
    copyEvents({ source: from, target: to, signal, onProgress });

  async function all(store: EventStore): Promise<RecordedEvent[]> {
    const found: RecordedEvent[] = [];
    for (let after = 0n; ; after = found.at(-1)!.position) {
      const page = await store.readAll({ after });
      if (page.length === 0) return found;
      found.push(...page);
    }
  }
  const withoutPosition = ({ position: _position, ...rest }: RecordedEvent) => rest;
  const byStream = (log: readonly RecordedEvent[]) =>
    Map.groupBy(log.map(withoutPosition), ({ stream }) => stream);

  it('brings every event over with its revision, id, type, data and metadata', async () => {
    const result = await copy();
    expect(result).toMatchObject({ verified: true, copied: events, differences: [], sourceGrew: false });
    expect(result.target).toEqual(result.source);
    expect(byStream(await all(to))).toEqual(byStream(await all(from)));
  });

  it('keeps the order of each request, and every event within 1,000 places of its own', async () => {
    await copy();
    const [ours, theirs] = [await all(from), await all(to)];
    const byRequest = (log: readonly RecordedEvent[]) =>
      [...Map.groupBy(log, ({ metadata }) => metadata.requestId).values()]
        .map((group) => group.map(({ id }) => id).join())
        .sort();
    expect(byRequest(theirs)).toEqual(byRequest(ours));
    const places = new Map(ours.map(({ id }, index) => [id, index]));
    theirs.forEach(({ id }, index) => expect(Math.abs(places.get(id)! - index)).toBeLessThan(1000));
  });

  it('goes on where it was interrupted, however often, and writes nothing twice', async () => {
    let interruptions = 0;
    for (let copied = -1; ; interruptions++) {
      const stopping = new AbortController();
      const result = await copy(({ phase }) => {
        if (phase === 'copying' && interruptions < 2)
          setTimeout(() => stopping.abort(new Error('killed')), 3);
      }, stopping.signal).catch((error: unknown) => error as Error);
      const there = (await all(to)).length;
      expect(there).toBeGreaterThan(copied);
      copied = there;
      if (result instanceof Error) expect(result.message).toBe('killed');
      else {
        expect(result).toMatchObject({ verified: true, target: { events } });
        expect(result.copied).toBeLessThan(events);
        break;
      }
    }
    expect(interruptions).toBeGreaterThan(0);
    expect(byStream(await all(to))).toEqual(byStream(await all(from)));
  });

  it.each([
    ['cannot be reached', new EventStoreUnavailable('away')],
    ['does not tell the outcome', new AppendOutcomeUnknown('no answer')],
  ])('asks again where the target %s once', async (_, failure) => {
    let failures = 0;
    const flaky = storeWith(to, {
      async append(...call) {
        const outcome = await to.append(...call);
        if (++failures === 2) throw failure;
        return outcome;
      },
    });
    const result = await copyEvents({ source: from, target: flaky, signal: quiet });
    expect(result).toMatchObject({ verified: true, target: { events } });
  });

  it('copies nothing the second time, and what came since then the third', async () => {
    await copy();
    const pages = { comparing: 0, copying: 0, verifying: 0 };
    const again = await copy(({ phase }) => {
      pages[phase] += 1;
    });
    expect(again).toMatchObject({ verified: true, copied: 0 });
    // Comparing reads the target like verifying, and the source as well.
    expect(pages.comparing).toBeGreaterThan(pages.verifying);
    const stream = `late-${randomUUID()}`;
    await from.append(stream, 'no-stream', [newEvent(), newEvent()]);
    expect(await copy()).toMatchObject({ verified: true, copied: 2 });
    expect(await to.readStream(stream)).toMatchObject({ kind: 'found', events: [{}, {}] });
  });

  it('says that the source is being written to, and stops at the head that it saw first', async () => {
    const stream = `meanwhile-${randomUUID()}`;
    let written: Promise<unknown> | undefined;
    const result = await copy(() => {
      written ??= from.append(stream, 'no-stream', [newEvent()]);
    });
    await written;
    expect(result).toMatchObject({ verified: true, sourceGrew: true });
    expect(await to.readStream(stream)).toEqual({ kind: 'stream-not-found' });
  });

  it('refuses a target that holds a stream of somebody else, before it writes anything', async () => {
    await to.append('foreign-1', 'no-stream', [newEvent()]);
    await expect(copy()).rejects.toThrow(
      /the target holds other events: foreign-1 has 1 there and 0 in the source/,
    );
    expect(await all(to)).toHaveLength(1);
  });

  it('refuses a target whose history of a stream is another one', async () => {
    const [first] = await from.readAll({ limit: 1 });
    await to.append(first!.stream, 'no-stream', [{ ...first!, data: { debit: 'less' } }]);
    await expect(copy()).rejects.toThrow(/the target holds another history: the first 1 events of account-/);
    expect(await all(to)).toHaveLength(1);
  });

  it('refuses a target that has more of a stream than the source', async () => {
    await copy();
    await to.append('job-0', 2n, [newEvent()]);
    await expect(copy()).rejects.toThrow(/job-0 has 4 there and 3 in the source/);
  });

  it('refuses when another writer writes to the target meanwhile', async () => {
    const spoiling = { ...bound(to) };
    spoiling.append = async (stream, expected, batch) => {
      if (stream === 'job-7' && expected === 'no-stream') await to.append(stream, expected, [newEvent()]);
      return to.append(stream, expected, batch);
    };
    await expect(copyEvents({ source: from, target: spoiling, signal: quiet })).rejects.toThrow(
      /another writer writes to the target: job-7/,
    );
  });

  it('is not verified when the target gives back other data than it was given', async () => {
    const lossy = { ...bound(to) };
    lossy.append = (stream, expected, batch) =>
      to.append(
        stream,
        expected,
        batch.map((event) => (stream === 'job-7' ? { ...event, data: {} } : event)),
      );
    const result = await copyEvents({ source: from, target: lossy, signal: quiet });
    expect(result.verified).toBe(false);
    expect(result.differences).toEqual([{ stream: 'job-7', sourceEvents: 3, targetEvents: 3 }]);
    expect(result.target.sha256).not.toBe(result.source.sha256);
  });

  it('copies an empty history too', async () => {
    await using nothing = await emptySource();
    const result = await copyEvents({ source: nothing.store, target: to, signal: quiet });
    expect(result).toMatchObject({ verified: true, copied: 0, source: { events: 0 }, target: { events: 0 } });
  });

  async function emptySource() {
    const database = await createTestDatabase({ template: eventStoreTemplate });
    const store = open(database);
    const dispose = () => store.close().then(() => database.drop());
    return { store, [Symbol.asyncDispose]: dispose };
  }
});

/** The methods of a store as a plain object, so that a test can replace one of them by a faulty one. */
function bound(store: EventStore): { -readonly [Name in keyof EventStore]: EventStore[Name] } {
  return {
    append: (...given) => store.append(...given),
    readStream: (...given) => store.readStream(...given),
    readAll: (...given) => store.readAll(...given),
    head: () => store.head(),
    lastEvent: (through) => store.lastEvent(through),
    identity: () => store.identity(),
    subscribe: (options) => store.subscribe(options),
    close: () => store.close(),
  };
}
