import type { ObjectStorage } from '#storage/object-storage.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobEvent } from '#domain/job/job.events.js';
import type { QueuedJob } from '#domain/job/job.js';
import { streamName } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { AccountsFixture } from '../accounts.fixture.js';
import { load } from '../aggregate.js';
import { toNewEvent } from '../command-context.js';
import { JobAttempt } from './job-attempt.js';
import { jobAggregate } from '../job/job-writes.handler.js';
import { commandBusOn } from '../../../../test/support/command-bus.js';

let fixture: AccountsFixture;
let store: EventStore;

beforeAll(async () => {
  fixture = await AccountsFixture.start();
  ({ store } = fixture);
});
afterAll(() => fixture.stop());

const at = '2026-01-31T12:00:00.000Z';
/** Keeps nothing: these attempts ask no vendor. */
const storage = {} as ObjectStorage;
const worker = (id: string) => ({
  id,
  commands: commandBusOn({ store }),
  storage,
  clock: () => new Date(at),
});

function queued(jobId: string): QueuedJob {
  return {
    ...{ jobId, tenant: 'acme', operation: 'look', jobType: 'LOOK', creditsCost: 10, requestId: newId() },
    ...{ chargeId: 'charge', parentJobId: null, displayName: '', at, input: {}, inputs: [], seed: 1 },
    ...{ createdByKey: 'k', onTechnicalFailure: 'refund' },
  } as unknown as QueuedJob;
}

describe('a worker that takes a job up', () => {
  it('leaves it to the other worker that has written since it looked, were it a stage only', async () => {
    const jobId = newId();
    const stream = streamName('test', 'job', jobId);
    const job = queued(jobId);
    const context = fixture.context('acme');
    const first: JobEvent = { type: 'JobQueued', data: job };
    await store.append(stream, 'no-stream', [toNewEvent(first, 0, context)]);
    const at0 = await load(store, stream, jobAggregate);
    const early = await JobAttempt.start(worker('early'), 'test', job, at0);

    const looked = await load(store, stream, jobAggregate);
    await early!.completeStage(0, { stage: 'grouping', message: '', artifacts: [] });
    await expect(JobAttempt.start(worker('late'), 'test', job, looked)).rejects.toMatchObject({
      ...{ name: 'AttemptLost', finished: false },
    });

    const again = await load(store, stream, jobAggregate);
    expect((await JobAttempt.start(worker('late'), 'test', job, again))?.number).toBe(2);
  });
});
