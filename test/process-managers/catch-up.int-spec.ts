import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueuedJob } from '#domain/job/job.js';
import { decode } from '#domain/stored-events.js';
import { Workshop } from '../worker/support/workshop.js';
import { eventually } from '../support/eventually.js';
import { handledAll } from './support/handled-all.js';
import { ends, Story, type End } from './support/story.js';

let workshop: Workshop;
let story: Story;

beforeEach(async () => {
  workshop = await Workshop.open();
  story = new Story(workshop.store, workshop.accounts, await workshop.tenantWith(100_000));
});
afterEach(() => workshop[Symbol.asyncDispose]());

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

/** How each charge was closed; a charge that was closed twice is listed twice. */
async function closings(): Promise<string[]> {
  const types = ['CreditsSettled', 'CreditsRefunded'];
  const recorded = await workshop.store.readAll({ filter: { types }, limit: 4096 });
  return recorded.map(decode).map((event) => {
    if (event.type === 'CreditsSettled') return `${event.data.chargeId} settled`;
    if (event.type === 'CreditsRefunded') return `${event.data.chargeId} ${event.data.reason}`;
    throw new Error(event.type);
  });
}

const closedBy = { succeeded: 'settled', failed: 'job-failed', cancelled: 'job-cancelled' } as const;

const inOrder = (lines: readonly string[]) => lines.toSorted();

/** Many at once, the number of a busy minute. */
function tell(count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const how = ends[index % ends.length] as End;
      const { chargeId } = await story.told(how, minutesAgo(50));
      return `${chargeId} ${closedBy[how]}`;
    }),
  );
}

async function charged(count: number, at: Date): Promise<QueuedJob[]> {
  const jobs = Array.from({ length: count }, () => story.single(at));
  await Promise.all(jobs.map((job) => story.charge(job)));
  return jobs;
}

describe('a projector that was stopped for an hour', () => {
  it('hands out what waits, closes every charge of what ended, concludes batches, and gives orphans back, by itself', async () => {
    const first = await workshop.startProjector();
    await workshop.readModelsCaughtUp();
    await first.stop();

    const expected = await tell(300);
    const orphans = await charged(30, minutesAgo(40));
    expected.push(...orphans.map(({ chargeId }) => `${chargeId} orphaned`));
    const waiting = await Promise.all(
      Array.from({ length: 20 }, () => story.told('goes-on', minutesAgo(30))),
    );
    const batches = Array.from({ length: 5 }, () => story.batch(3));
    for (const { parent, children } of batches) {
      for (const child of children) await story.charge(child);
      for (const job of [parent, ...children]) await story.queue(job);
      for (const [index, child] of children.entries()) {
        await story.end(child, ends[index] as End);
        expected.push(`${child.chargeId} ${closedBy[ends[index] as End]}`);
      }
    }

    await workshop.startProjector();
    await eventually(async () => (await closings()).length >= expected.length);
    expect(inOrder(await closings())).toEqual(inOrder(expected));
    for (const { parent } of batches) {
      await eventually(async () => (await workshop.types('job', parent.jobId)).includes('JobSucceeded'));
    }
    await eventually(() => handledAll(workshop));
    const tasks = `select data ->> 'jobId' as id from pgboss.job where data ->> 'jobId' = any($1)`;
    const { rows } = await workshop.query(tasks, [waiting.map(({ jobId }) => jobId)]);
    expect(inOrder((rows as { id: string }[]).map(({ id }) => id))).toEqual(
      inOrder(waiting.map(({ jobId }) => jobId)),
    );
  });

  it('does so although its sessions are killed again and again on the way', async () => {
    const expected = await tell(150);
    await workshop.startProjector();
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'atelier.projections.%' and datname = current_database()`;
    let killed = 0;
    // The pauses grow from kill to kill, so that even a slow machine makes progress.
    for (let pauseMs = 20; killed < 20; pauseMs += 5) {
      killed += (await workshop.query(kill)).rowCount ?? 0;
      await sleep(pauseMs);
    }
    await eventually(async () => (await closings()).length >= expected.length);
    // Repeated work has had time to do harm.
    await eventually(() => handledAll(workshop));
    expect(inOrder(await closings())).toEqual(inOrder(expected));
  });
});

describe('the sweep', () => {
  it('finds the orphans behind more long-running charges than it takes at once', async () => {
    const running = await charged(600, minutesAgo(55));
    await Promise.all(running.map((job) => story.queue(job)));
    const orphans = await charged(5, minutesAgo(50));
    await workshop.startProjector({ sweepBatch: 500 });
    const expected = orphans.map(({ chargeId }) => `${chargeId} orphaned`);
    await eventually(async () => (await closings()).length >= expected.length);
    expect(inOrder(await closings())).toEqual(inOrder(expected));
  });

  it('finds them also while the jobs of those before them are not to be seen in the read model', async () => {
    const running = await charged(60, minutesAgo(55));
    await Promise.all(running.map((job) => story.queue(job)));
    const orphans = await charged(5, minutesAgo(50));
    // Removes the jobs from the read model, as if it had parked them: each sweep meets their charges first, and
    // spares them.
    const first = await workshop.startProjector({ sweepBatch: 10, orphanHorizonMs: 24 * 3_600_000 });
    await workshop.readModelsCaughtUp();
    await first.stop();
    expect((await workshop.query('delete from test.jobs')).rowCount).toBe(60);
    await workshop.startProjector({ sweepBatch: 10 });
    const expected = orphans.map(({ chargeId }) => `${chargeId} orphaned`);
    await eventually(async () => (await closings()).length >= expected.length);
    expect(inOrder(await closings())).toEqual(inOrder(expected));
  });
});
