import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgresHarness } from '../../../test/support/postgres-event-store-harness.js';
import {
  collect,
  freshPrefix,
  newEvents,
  type EventStoreHarness,
} from '../../../test/event-store/harness.js';
import { storeWith, type EventStore, type SubscriptionBatch } from './event-store.js';
import { withSharedSubscriptions } from './shared-subscriptions.js';

let harness: EventStoreHarness;

beforeAll(async () => {
  harness = await startPostgresHarness();
});
afterAll(() => harness.close());

/** Counts the subscriptions that are open at the store. */
function counted(): { store: EventStore; opened: () => number; open: () => number } {
  const inner = harness.open();
  let [opened, open] = [0, 0];
  const subscribe: EventStore['subscribe'] = async function* (options) {
    opened += 1;
    open += 1;
    try {
      yield* inner.subscribe(options);
    } finally {
      open -= 1;
    }
  };
  return { store: storeWith(inner, { subscribe }), opened: () => opened, open: () => open };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/**
 * A subscription that reads until it has this many events. It then goes on in the background until it is ended.
 */
function follow(store: EventStore, types: readonly string[]) {
  const ending = new AbortController();
  const received: string[] = [];
  const seen = new Set<() => void>();
  const ended = (async () => {
    for await (const batch of store.subscribe({ filter: { types }, signal: ending.signal })) {
      received.push(...batch.events.map(({ stream, revision }) => `${stream}@${revision}`));
      for (const look of seen) look();
    }
  })();
  const reached = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => received.length >= count && resolve();
      seen.add(look);
      look();
    });
  return { received, reached, end: async () => (ending.abort(), ended) };
}

it('has one subscription at the store for all that follow the end of the log', async () => {
  const { store, open, opened } = counted();
  const shared = withSharedSubscriptions(store);
  const prefix = freshPrefix();
  const type = `Shared${prefix.slice(12, 20)}`;
  await shared.append(`${prefix}a`, 'no-stream', newEvents(3, type));
  const followers = [follow(shared, [type]), follow(shared, [type]), follow(shared, [type])];
  await Promise.all(followers.map(({ reached }) => reached(3)));
  for (let revision = 2n; revision < 40n; revision++) {
    await shared.append(`${prefix}a`, revision, newEvents(1, type));
  }
  await Promise.all(followers.map(({ reached }) => reached(41)));
  const expected = Array.from({ length: 41 }, (_, place) => `${prefix}a@${place}`);
  for (const { received } of followers) expect(received).toEqual(expected);
  // Each one caught up with its own subscription. From then on all of them share one.
  await until(() => open() === 1);
  expect(opened()).toBe(4);
  await Promise.all(followers.map(({ end }) => end()));
  await until(() => open() === 0);
  await store.close();
});

it('takes in the types of one that comes later, without losing an event of those before it', async () => {
  const { store, open } = counted();
  const shared = withSharedSubscriptions(store);
  const prefix = freshPrefix();
  const [one, other] = [`One${prefix.slice(12, 20)}`, `Other${prefix.slice(12, 20)}`];
  const first = follow(shared, [one]);
  await shared.append(`${prefix}one`, 'no-stream', newEvents(1, one));
  await first.reached(1);
  const second = follow(shared, [other]);
  await shared.append(`${prefix}other`, 'no-stream', newEvents(1, other));
  await second.reached(1);
  for (let revision = 0n; revision < 20n; revision++) {
    await shared.append(`${prefix}one`, revision, newEvents(1, one));
    await shared.append(`${prefix}other`, revision, newEvents(1, other));
  }
  await Promise.all([first.reached(21), second.reached(21)]);
  expect(first.received).toEqual(Array.from({ length: 21 }, (_, place) => `${prefix}one@${place}`));
  expect(second.received).toEqual(Array.from({ length: 21 }, (_, place) => `${prefix}other@${place}`));
  await until(() => open() === 1);
  await Promise.all([first.end(), second.end()]);
  await store.close();
});

it('lets a slow one fall out of the window and read pages, while a fast one stays in it', async () => {
  const { store } = counted();
  const shared = withSharedSubscriptions(store, { maxEvents: 10 });
  const prefix = freshPrefix();
  const type = `Slow${prefix.slice(12, 20)}`;
  const fast = follow(shared, [type]);
  await shared.append(`${prefix}a`, 'no-stream', newEvents(1, type));
  await fast.reached(1);
  const slow = shared.subscribe({
    filter: { types: [type] },
    batchSize: 3,
    signal: new AbortController().signal,
  });
  const batches: SubscriptionBatch[] = [];
  let last = 0n;
  for await (const batch of slow) {
    batches.push(batch);
    // The window moves on while the slow one is busy with its first batch.
    if (batches.length === 1) {
      for (let revision = 0n; revision < 50n; revision++) {
        await shared.append(`${prefix}a`, revision, newEvents(1, type));
      }
      await fast.reached(51);
      last = (await shared.head())!;
    }
    if (batch.position >= last && last > 0n) break;
  }
  const revisions = batches.flatMap(({ events }) => events.map(({ revision }) => Number(revision)));
  expect(revisions).toEqual(Array.from({ length: 51 }, (_, place) => place));
  expect(batches.every(({ events }) => events.length <= 3)).toBe(true);
  await fast.end();
  await store.close();
});

it('forgets what is too large in sum, and an event that is larger than all', async () => {
  const inner = harness.open();
  const shared = withSharedSubscriptions(inner, { maxBytes: 2_000 });
  const prefix = freshPrefix();
  const type = `Large${prefix.slice(12, 20)}`;
  const follower = follow(shared, [type]);
  await shared.append(`${prefix}a`, 'no-stream', newEvents(1, type));
  await follower.reached(1);
  for (let revision = 0n; revision < 10n; revision++) {
    const events = newEvents(1, type).map((event) => ({ ...event, data: { filler: 'x'.repeat(3_000) } }));
    await shared.append(`${prefix}a`, revision, events);
  }
  await follower.reached(11);
  expect(follower.received).toEqual(Array.from({ length: 11 }, (_, place) => `${prefix}a@${place}`));
  await follower.end();
  const again = await collect(shared, { filter: { types: [type] } }, ({ events }) => events.length === 11);
  expect(again.events).toHaveLength(11);
  await inner.close();
});
