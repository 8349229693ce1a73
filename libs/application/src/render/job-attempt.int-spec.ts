import type { ObjectStorage } from '#storage/object-storage.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EventOfType } from '#domain/events.js';
import type { Provenance } from '#domain/job/job.events.js';
import type { Job } from '#domain/job/job.js';
import { streamName } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { queued } from '#projections/testing/stories.js';
import { AccountsFixture } from '../../../../test/support/accounts-fixture.js';
import { load, type Loaded } from '../aggregate.js';
import { toNewEvent } from '../command-context.js';
import type { FinishedPicture } from './finished-pictures.js';
import { JobAttempt } from './job-attempt.js';
import { jobAggregate } from '../job/job-writes.handler.js';
import { commandBusOn } from '../../../../test/support/command-bus.js';

const fixture = AccountsFixture.ofSpec();
let store: EventStore;

beforeAll(() => void ({ store } = fixture));

const at = '2026-01-31T12:00:00.000Z';
/** Stores nothing: these attempts make no vendor calls. */
const storage = {} as ObjectStorage;
const worker = (id: string) => ({
  id,
  commands: commandBusOn({ store }),
  storage,
  finisher: { finish: ({ bytes }: FinishedPicture) => Promise.resolve(bytes) },
  clock: () => new Date(at),
});

/** A job that is on the log, its stream, and the state in which it was last read. */
async function queuedJob() {
  const jobId = newId();
  const stream = streamName('test', 'job', jobId);
  const event = queued(jobId, 'acme');
  await store.append(stream, 'no-stream', [toNewEvent(event, 0, fixture.context('acme'))]);
  const take = (id: string, known: Loaded<Job>) => JobAttempt.start(worker(id), 'test', event.data, known);
  return { stream, look: () => load(store, stream, jobAggregate), take };
}

describe('a worker that takes a job up', () => {
  it('leaves it to the other worker that has written since it looked, were it a stage only', async () => {
    const { look, take } = await queuedJob();
    const early = await take('early', await look());

    const looked = await look();
    await early!.completeStage(0, { stage: 'grouping', message: '', artifacts: [] });
    await expect(take('late', looked)).rejects.toMatchObject({ name: 'AttemptLost', finished: false });

    expect((await take('late', await look()))?.number).toBe(2);
  });

  it.each([
    [
      'what failed in it',
      [{ arm: 'garments', code: 'VISION_MODEL_REQUIRED', message: 'None could see it.' }],
    ],
    ['that nothing failed in it, where its engine tells', []],
    ['nothing of failures, where its engine tells of none', undefined],
  ])('puts on record with a success %s', async (_, failures) => {
    const { stream, look, take } = await queuedJob();
    const attempt = await take('one', await look());
    await attempt!.succeed('done', [], failures, { attempt: 1 } as Provenance);
    const last = await store.lastEvent();
    expect(last).toMatchObject({ type: 'JobSucceeded', stream });
    expect((last!.data as EventOfType<'JobSucceeded'>['data']).failures).toEqual(failures);
  });
});
