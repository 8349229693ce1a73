import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventId } from '#platform/ids.js';
import { ends, Story } from '../process-managers/support/story.js';
import { sweep } from '../process-managers/support/sweep.js';
import { eventsIn } from '../support/streams.js';
import { Workshop } from './support/workshop.js';
import { untilEnd } from '../support/until-end.js';

const workshop = untilEnd(await Workshop.open());

describe('an orphaned charge', () => {
  it('is left alone while it is younger than the horizon', async () => {
    const projector = await workshop.startProjector({ orphanHorizonMs: 60_000 });
    const tenant = await workshop.tenantWith(100);
    const story = new Story(workshop.store, workshop.accounts, tenant);
    const job = story.single();
    await story.charge(job);
    await workshop.readModelsCaughtUp();
    await sleep(500);
    await story.queue(job);
    expect(await workshop.types('job', job.jobId)).toEqual(['JobQueued']);
    expect(await workshop.balance(tenant)).toBe(95);
    await projector.stop();
  });

  it.each(ends)(
    'is closed by the very event of the charge closer when its job has %s after all',
    async (how) => {
      const tenant = await workshop.tenantWith(100);
      const job = await new Story(workshop.store, workshop.accounts, tenant).told(how);
      expect(await sweep(workshop, job)).toEqual({ refunded: 0, closed: 1, spared: 0, failed: 0 });
      const settled = how === 'succeeded';
      expect((await eventsIn(workshop.store, `test.account-${tenant}`)).slice(3)).toMatchObject([
        {
          type: settled ? 'CreditsSettled' : 'CreditsRefunded',
          id: eventId(`${settled ? 'settle' : 'refund'}:${job.chargeId}`, 0),
          data: { chargeId: job.chargeId, amount: 5, ...(!settled && { reason: `job-${how}` }) },
        },
      ]);
      const projector = await workshop.startProjector();
      await workshop.readModelsCaughtUp();
      await projector.stop();
      expect(await sweep(workshop, job)).toMatchObject({ closed: 1 });
      expect(await workshop.balance(tenant)).toBe(settled ? 95 : 100);
      expect(await workshop.eventsOf('account', tenant)).toHaveLength(4);
    },
  );
});
