import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamName } from '#domain/streams.js';
import { newId } from '#platform/ids.js';
import { createLogger } from '#platform/logger.js';
import { eventually } from '../../../../test/support/eventually.js';
import { AccountsFixture } from '../../../../test/support/accounts-fixture.js';
import { toNewEvent } from '../command-context.js';
import { JobWatch } from './job-watch.js';

const fixture = AccountsFixture.ofSpec();
let watch: JobWatch;

beforeAll(() => {
  watch = new JobWatch(fixture.store, createLogger('test', 'silent'));
  return watch.onApplicationBootstrap();
});
afterAll(() => watch.onApplicationShutdown());

const at = '2026-06-01T12:00:00.000Z';

async function stage(jobId: string): Promise<void> {
  const told = { stage: 'garments', message: '', artifacts: [], attempt: 1, at };
  const event = toNewEvent({ type: 'StageCompleted', data: told }, 0, fixture.context('acme'));
  await fixture.store.append(streamName('test', 'job', jobId), 'any', [event]);
}

describe('the watch over jobs', () => {
  it('goes on telling one who waits when another who waited for the same job has left', async () => {
    const jobId = newId();
    const [leaving, staying] = [watch.watch('test', jobId), watch.watch('test', jobId)];
    leaving.release();
    await eventually(async () => {
      await stage(jobId);
      return staying.next({ timeoutMs: 100 });
    });
    staying.release();
  });

  it('ends every wait when its process stops', async () => {
    const stopping = new JobWatch(fixture.store, createLogger('test', 'silent'));
    await stopping.onApplicationBootstrap();
    const waits = ['a', 'b'].map((job) => stopping.watch('test', job).next({ timeoutMs: 600_000 }));
    await stopping.onApplicationShutdown();
    expect(await Promise.all(waits)).toEqual([false, false]);
  });
});
