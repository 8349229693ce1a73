import { describeAppends } from './appends.conformance.js';
import { describeFaults } from './faults.conformance.js';
import type { EventStoreHarness, Subject } from './harness.js';
import { describeInput } from './input.conformance.js';
import { describeReads } from './reads.conformance.js';
import { describeSubscriptions } from './subscriptions.conformance.js';

/**
 * The port's words as tests. Every adapter runs this suite, and nothing in it knows which one it is. A test touches
 * only streams of its own, so it also passes on a log that others write to.
 */
export function describeEventStore(name: string, start: () => Promise<EventStoreHarness>): void {
  describe(`${name} as an event store`, () => {
    let running: Subject | undefined;
    const subject = (): Subject => running!;

    beforeAll(async () => {
      const harness = await start();
      running = { harness, store: harness.open() };
    });

    afterAll(async () => {
      await running?.store.close();
      await running?.harness.close();
    });

    describeAppends(subject);
    describeInput(subject);
    describeReads(subject);
    describeSubscriptions(subject);
    describeFaults(subject);
  });
}
