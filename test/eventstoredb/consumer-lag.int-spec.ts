import { afterEach, describe, expect, it } from 'vitest';
import { newEvents } from '../event-store/harness.js';
import { countedEvents, lagsOf, type Consumer } from '#read-store/consumers.js';
import { Stores } from './stores.js';

const stores = new Stores();
afterEach(() => stores.close());

const consumer: Consumer = {
  kind: 'projection',
  environment: 'live',
  name: 'jobs',
  filter: { streamPrefixes: ['live.job-'] },
};

const events = (count: number, recordedAt = new Date()) =>
  newEvents(count).map((event) => ({
    ...event,
    metadata: { ...event.metadata, recordedAt: recordedAt.toISOString() },
  }));

describe('lag in a store whose positions are no counts', () => {
  it('is counted event by event, and told as a lower bound beyond what is looked at', async () => {
    const { store } = await stores.started();
    const now = new Date();
    const lag = async (position: bigint | null) =>
      (await lagsOf([{ ...consumer, position }], { store, positionsAreCounts: false, now }))[0]!;
    expect(await lag(null)).toMatchObject({ events: 0, seconds: 0 });

    const long = new Date(now.getTime() - 30_000);
    await store.append('live.account-a', 'no-stream', events(3));
    const first = await store.append('live.job-a', 'no-stream', events(2, long));
    await store.append('live.job-b', 'no-stream', events(1));
    if (first.outcome !== 'appended') throw new Error(first.outcome);
    expect(await lag(null)).toMatchObject({ events: 3, seconds: 30 });
    expect(await lag(first.position)).toMatchObject({ events: 1, seconds: 0 });
    expect(await lag((await store.head())!)).toMatchObject({ events: 0, seconds: 0 });

    await store.append('live.job-c', 'no-stream', events(countedEvents));
    // Six events were there before; three of them do not count.
    expect(await lag(null)).toMatchObject({ events: countedEvents - 3, seconds: 30 });
  });
});
