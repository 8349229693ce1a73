import type { ObjectStorage } from '#storage/object-storage.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventOfType } from '#domain/events.js';
import type { JobEvent, Provenance } from '#domain/job/job.events.js';
import type { QueuedJob } from '#domain/job/job.js';
import { streamName } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { AccountsFixture } from '../../../../test/support/accounts-fixture.js';
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
/** Stores nothing: these attempts make no vendor calls. */
const storage = {} as ObjectStorage;
const worker = (id: string) => ({
  id,
  commands: commandBusOn({ store }),
  storage,
  clock: () => new Date(at),
});

function queued(jobId: string): QueuedJob {
  return {
    jobId,
    tenant: 'acme',
    operation: 'look',
    jobType: 'LOOK',
    creditsCost: 10,
    requestId: newId(),
    chargeId: 'charge',
    parentJobId: null,
    displayName: '',
    at,
    input: {},
    inputs: [],
    seed: 1,
    createdByKey: 'k',
    onTechnicalFailure: 'refund',
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
      name: 'AttemptLost',
      finished: false,
    });

    const again = await load(store, stream, jobAggregate);
    expect((await JobAttempt.start(worker('late'), 'test', job, again))?.number).toBe(2);
  });

  it.each([
    [
      'what failed in it',
      [{ arm: 'garments', code: 'VISION_MODEL_REQUIRED', message: 'None could see it.' }],
    ],
    ['that nothing failed in it, where its engine tells', []],
    ['nothing of failures, where its engine tells of none', undefined],
  ])('puts on record with a success %s', async (_, failures) => {
    const jobId = newId();
    const stream = streamName('test', 'job', jobId);
    const job = queued(jobId);
    const first: JobEvent = { type: 'JobQueued', data: job };
    await store.append(stream, 'no-stream', [toNewEvent(first, 0, fixture.context('acme'))]);
    const loaded = await load(store, stream, jobAggregate);
    const attempt = await JobAttempt.start(worker('one'), 'test', job, loaded);
    await attempt!.succeed('done', [], failures, { attempt: 1 } as Provenance);
    const last = await store.lastEvent();
    expect(last).toMatchObject({ type: 'JobSucceeded', stream });
    expect((last!.data as EventOfType<'JobSucceeded'>['data']).failures).toEqual(failures);
  });
});
