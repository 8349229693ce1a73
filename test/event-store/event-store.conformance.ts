import { afterAll, beforeAll, describe } from 'vitest';
import type { EventStore } from '#event-store/event-store.js';
import { withSharedSubscriptions } from '#event-store/shared-subscriptions.js';
import { describeAppends } from './appends.conformance.js';
import { describeFaults } from './faults.conformance.js';
import type { EventStoreHarness, Subject } from './harness.js';
import { describeInput } from './input.conformance.js';
import { describeReads } from './reads.conformance.js';
import { describeSubscriptions } from './subscriptions.conformance.js';
import { describeWriters } from './writers.conformance.js';
import { describeTogether } from './together.conformance.js';

/**
 * The port's promises as tests. Every adapter runs this suite, and no test knows which adapter it has. A test
 * touches only its own streams, so it also passes on a log with other writers.
 */
export function describeEventStore(name: string, start: () => Promise<EventStoreHarness>): void {
  describe(`${name} as an event store`, () => {
    const subject = startedBefore(start);
    describeAppends(subject);
    describeTogether(subject);
    describeInput(subject);
    describeReads(subject);
    describeSubscriptions(subject);
    describeWriters(subject);
    describeFaults(subject);
  });

  describe(`${name} as an event store, one subscription shared by all`, () => {
    const subject = startedBefore(async () => sharing(await start()));
    describeSubscriptions(subject);
    describeFaults(subject);
  });
}

function startedBefore(start: () => Promise<EventStoreHarness>): () => Subject {
  let running: Subject | undefined;
  beforeAll(async () => {
    const harness = await start();
    running = { harness, store: harness.open() };
  });
  afterAll(async () => {
    await running?.store.close();
    await running?.harness.close();
  });
  return () => running!;
}

/** The window is small, so that subscriptions often fall behind it and join it again. */
function sharing(harness: EventStoreHarness): EventStoreHarness {
  const shared = (store: EventStore) => withSharedSubscriptions(store, { maxEvents: 16 });
  const { faults } = harness;
  return {
    ...harness,
    open: (options) => shared(harness.open(options)),
    ...(faults && { faults: { ...faults, open: (options) => shared(faults.open(options)) } }),
  };
}
