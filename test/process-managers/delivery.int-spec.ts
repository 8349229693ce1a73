import { afterAll, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { AccountsFixture } from '../support/accounts-fixture.js';
import { AccountWriter } from '#application/account/account-writer.js';
import {
  batchParentsFollows,
  chargeCloserFollows,
  filterOf,
} from '#application/process-managers/process-managers.js';
import { BatchParents } from '#application/process-managers/batch-parents.js';
import { ChargeCloser } from '#application/process-managers/charge-closer.js';
import type { QueuedJob } from '#domain/job/job.js';
import { decode } from '#domain/stored-events.js';
import { AppendOutcomeUnknown, type EventStore } from '#event-store/event-store.js';
import { systemClock } from '#platform/clock.js';
import { toProjectedEvent } from '#read-store/projected-event.js';
import { ends, Story, type End } from './support/story.js';
import { sweep } from './support/sweep.js';
import { commandBusOn } from '../support/command-bus.js';

const fixture = await AccountsFixture.start();
afterAll(() => fixture.stop());

/** The state of each job before the process managers run; `orphaned`: charged, and never queued. */
type Fate = End | 'goes-on' | 'orphaned';

/**
 * One delivery of at most `size` events to one of the managers, and its fault. `after`: the process dies after
 * this many of its appends are committed; the answer to the last one may be lost as well. `rewind`: the
 * checkpoint is lost. After any fault the next delivery meets a process that remembers nothing.
 */
interface Delivery {
  readonly to: 'closer' | 'batches' | 'sweep';
  readonly size: number;
  readonly fault: 'none' | 'rewind' | { readonly after: number; readonly answerLost: boolean };
}

const fates = fc.array(fc.constantFrom<Fate>(...ends, 'goes-on', 'orphaned'), { minLength: 1, maxLength: 6 });
const batches = fc.array(
  fc.array(fc.constantFrom<Fate>(...ends, 'goes-on'), { minLength: 1, maxLength: 3 }),
  {
    maxLength: 2,
  },
);
const deliveries = fc.array(
  fc.record<Delivery>({
    to: fc.constantFrom('closer', 'closer', 'batches', 'sweep'),
    size: fc.integer({ min: 1, max: 12 }),
    fault: fc.oneof(
      fc.constantFrom<Delivery['fault']>('none', 'rewind'),
      fc.record({ after: fc.nat({ max: 3 }), answerLost: fc.boolean() }),
    ),
  }),
  { maxLength: 14 },
);

/** A store whose process dies at its n-th append. Undefined: the process lives. */
function mortal(fault: Delivery['fault']): EventStore {
  if (typeof fault === 'string') return fixture.store;
  let left = fault.after;
  return fixture.withAppend((append) => async (...call) => {
    if (left-- > 0) return append(...call);
    if (fault.answerLost && left === -1) await append(...call);
    throw new AppendOutcomeUnknown('the process died');
  });
}

/** The process managers of one installation; they read the log from `from` on. */
class Managers {
  private readonly checkpoints = { closer: this.from, batches: this.from };

  constructor(
    private readonly from: bigint,
    private readonly orphans: readonly QueuedJob[],
  ) {}

  /** @returns true if something was left to deliver */
  async deliver({ to, size, fault }: Delivery): Promise<boolean> {
    const store = mortal(fault);
    const accounts = new AccountWriter(store, fixture.snapshots);
    const commands = commandBusOn({ store, accounts });
    if (to === 'sweep') {
      await sweep({ store, accounts }, ...this.orphans);
      return false;
    }
    if (fault === 'rewind') this.checkpoints[to] = this.from;
    const filter = filterOf(to === 'closer' ? chargeCloserFollows : batchParentsFollows, 'test');
    const recorded = await fixture.store.readAll({ after: this.checkpoints[to], limit: size, filter });
    const last = recorded.at(-1);
    if (!last) return false;
    const manager =
      to === 'closer'
        ? new ChargeCloser(commands, store, systemClock)
        : new BatchParents(commands, store, systemClock);
    try {
      await manager.handle('test', recorded.map(toProjectedEvent));
      // A process that dies between its effects and its checkpoint gets the batch again.
      if (typeof fault === 'string') this.checkpoints[to] = last.position;
    } catch (error) {
      if (typeof fault === 'string') throw error;
    }
    return true;
  }

  async untilDone(): Promise<void> {
    await this.deliver({ to: 'sweep', size: 1, fault: 'none' });
    for (let more = true; more;) {
      const batchesLeft = await this.deliver({ to: 'batches', size: 50, fault: 'none' });
      more = (await this.deliver({ to: 'closer', size: 50, fault: 'none' })) || batchesLeft;
    }
  }
}

const closedBy: Readonly<Record<Fate, string>> = {
  succeeded: 'settled',
  failed: 'refunded: job-failed',
  cancelled: 'refunded: job-cancelled',
  orphaned: 'refunded: orphaned',
  'goes-on': 'open',
};

async function logFrom(from: bigint) {
  return (await fixture.store.readAll({ after: from, limit: 4096 })).map((recorded) => ({
    id: recorded.id,
    stream: recorded.stream,
    event: decode(recorded),
  }));
}

/** How each charge was closed, with repeats, and the last event of each parent. */
async function outcomes(from: bigint) {
  const closings = new Map<string, string[]>();
  const parents = new Map<string, string[]>();
  const note = (to: Map<string, string[]>, key: string, what: string) =>
    to.set(key, [...(to.get(key) ?? []), what]);
  for (const { stream, event } of await logFrom(from)) {
    if (event.type === 'CreditsDebited') closings.set(event.data.chargeId, []);
    if (event.type === 'CreditsSettled') note(closings, event.data.chargeId, 'settled');
    if (event.type === 'CreditsRefunded')
      note(closings, event.data.chargeId, `refunded: ${event.data.reason}`);
    if (/^Job(Succeeded|Failed|Cancelled)$/.test(event.type)) note(parents, stream, event.type);
  }
  return { closings, parents };
}

describe('whatever is delivered twice, in whole or in part, after a crash at any append', () => {
  it('has exactly one effect, and replaying all of it from the beginning has none', async () => {
    await fc.assert(
      fc.asyncProperty(fates, batches, deliveries, fc.boolean(), async (singles, batched, plan, keptUp) => {
        const tenant = await fixture.tenantWith(1_000);
        const accounts = new AccountWriter(fixture.store, fixture.snapshots);
        const story = new Story(fixture.store, accounts, tenant);
        const from = (await fixture.store.head())!;
        const expected = new Map<string, string[]>();
        const orphans: QueuedJob[] = [];
        const begun: [QueuedJob, Fate][] = [];
        for (const fate of singles) {
          const job = story.single();
          await story.charge(job);
          if (fate === 'orphaned') orphans.push(job);
          else await story.queue(job);
          begun.push([job, fate]);
        }
        const parents = [];
        for (const photographs of batched) {
          const { parent, children } = story.batch(photographs.length);
          for (const child of children) await story.charge(child);
          for (const job of [parent, ...children]) await story.queue(job);
          children.forEach((child, index) => begun.push([child, photographs[index]!]));
          parents.push({ stream: `test.job-${parent.jobId}`, photographs });
        }

        const managers = new Managers(from, orphans);
        // The early deliveries come while the jobs still run.
        const [early, late] = [plan.slice(0, plan.length / 2), plan.slice(plan.length / 2)];
        for (const delivery of early) await managers.deliver(delivery);
        for (const [job, fate] of begun) {
          if (fate !== 'goes-on' && fate !== 'orphaned') await story.end(job, fate);
          expected.set(job.chargeId!, fate === 'goes-on' ? [] : [closedBy[fate]]);
          // After this, no later event can do the work that belongs to this end.
          if (keptUp) await managers.untilDone();
        }
        for (const delivery of late) await managers.deliver(delivery);
        await managers.untilDone();

        const found = await outcomes(from);
        expect(found.closings).toEqual(expected);
        for (const { stream, photographs } of parents) {
          const over = !photographs.includes('goes-on');
          const end = photographs.includes('succeeded') ? 'JobSucceeded' : 'JobFailed';
          expect(found.parents.get(stream) ?? []).toEqual(over ? [end] : []);
        }
        const before = await logFrom(from);
        await new Managers(from, orphans).untilDone();
        expect(await logFrom(from)).toEqual(before);
      }),
      { numRuns: 24 },
    );
  });
});
