import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { AccountsFixture } from '../support/accounts-fixture.js';
import { AccountWriter } from '#application/account/account-writer.js';
import { DispatchVoided } from '#application/dispatch/dispatcher.js';
import type { DispatchIds } from '#application/dispatch/idempotency.js';
import { oneByOne } from '../support/one-by-one.js';
import { decode } from '#domain/stored-events.js';
import { AppendOutcomeUnknown, type EventStore, type NewEvent } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { dispatcherOn } from '../support/command-bus.js';
import { eventsIn } from '../support/streams.js';
import { sweep as sweepOnce } from './support/sweep.js';

const fixture = await AccountsFixture.start();
afterAll(() => fixture.stop());
let tenant: string;
let ids: DispatchIds;

beforeEach(async () => {
  tenant = await fixture.tenantWith(1_000);
  ids = { requestId: newId(), jobId: newId() };
});

/** Faults for the append of the first event of this type: before the append, and to its answer. */
interface Mishap {
  readonly to: 'JobVoided' | 'CreditsRefunded' | 'JobQueued';
  readonly before?: () => Promise<unknown>;
  readonly lost?: 'call' | 'answer';
}

/** The store as one process sees it. */
function storeWith(mishap?: Mishap): EventStore {
  if (!mishap) return fixture.store;
  let struck = false;
  return fixture.withAppend((append) => async (stream, expected, events) => {
    if (struck || events[0]?.type !== mishap.to) return append(stream, expected, events);
    struck = true;
    await mishap.before?.();
    if (mishap.lost === 'call') throw new AppendOutcomeUnknown('it never arrived');
    const outcome = await append(stream, expected, events);
    if (mishap.lost === 'answer') throw new AppendOutcomeUnknown('the answer was lost');
    return outcome;
  });
}

/** A dispatch of the charge and the job that all tests here contend for. */
function dispatch(through: EventStore, of = ids, payer = tenant) {
  const store = oneByOne(through);
  const writer = new AccountWriter(store, fixture.snapshots);
  const caller = { environment: 'test', tenant: payer, keyId: 'key', capabilities: ['jobs:create'] } as const;
  const request = { caller, workflow: 'model-generator', endpoint: '/v1/model-generator', body: {} };
  return dispatcherOn(store, writer).dispatch({ ...request, at: new Date() }, of);
}

/** Another process, which treats the charge as an orphan. */
function sweep(store: EventStore = fixture.store, { requestId, jobId } = ids, payer = tenant) {
  const accounts = new AccountWriter(store, fixture.snapshots);
  return sweepOnce({ store, accounts }, { tenant: payer, chargeId: requestId, jobId });
}

/** The debit is recorded, but the process dies before it queues the job. */
async function orphaned(): Promise<void> {
  const died = dispatch(storeWith({ to: 'JobQueued', lost: 'call' }));
  await expect(died).rejects.toThrow(AppendOutcomeUnknown);
}

/** Starts a dispatch that stops just before JobQueued. `goOn` lets it continue. */
async function stalled() {
  const { promise: reached, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: awake, resolve: goOn } = Promise.withResolvers<void>();
  const before = () => {
    arrive();
    return awake;
  };
  const late = dispatch(storeWith({ to: 'JobQueued', before }));
  late.catch(() => undefined);
  await reached;
  return { late, goOn };
}

const typesOf = async (stream: string) => (await eventsIn(fixture.store, stream)).map(({ type }) => type);

async function refundsOf(of = ids, payer = tenant): Promise<unknown[]> {
  const events = (await eventsIn(fixture.store, `test.account-${payer}`)).map(decode);
  return events.flatMap((event) =>
    event.type === 'CreditsRefunded' && event.data.chargeId === of.requestId ? [event.data.amount] : [],
  );
}

async function expectOneRefundAndNoJob(): Promise<void> {
  expect(await typesOf(`test.job-${ids.jobId}`)).toEqual(['JobVoided']);
  expect(await refundsOf()).toEqual([5]);
}

async function expectTheJobAndNoRefund(): Promise<void> {
  expect(await typesOf(`test.job-${ids.jobId}`)).toEqual(['JobQueued']);
  expect(await refundsOf()).toEqual([]);
}

const refunded = { refunded: 1, closed: 0, spared: 0, failed: 0 };
const spared = { refunded: 0, closed: 0, spared: 1, failed: 0 };
const failed = { refunded: 0, closed: 0, spared: 0, failed: 1 };

describe('a sweep and a late JobQueued', () => {
  it('fence first: the job must not come any more', async () => {
    const { late, goOn } = await stalled();
    expect(await sweep()).toEqual(refunded);
    goOn();
    await expect(late).rejects.toThrow(DispatchVoided);
    await expectOneRefundAndNoJob();
  });

  it('JobQueued first: the charge is spared', async () => {
    const { late, goOn } = await stalled();
    goOn();
    await late;
    expect(await sweep()).toEqual(spared);
    await expectTheJobAndNoRefund();
  });

  it('JobQueued on its way when the fence is: whichever the store takes first has won', async () => {
    const { late, goOn } = await stalled();
    const before = async () => {
      goOn();
      await late;
    };
    expect(await sweep(storeWith({ to: 'JobVoided', before }))).toEqual(spared);
    await expectTheJobAndNoRefund();
  });

  it('JobQueued between fence and refund: refused, and whoever refunds second finds it done', async () => {
    const { late, goOn } = await stalled();
    const before = async () => {
      goOn();
      await expect(late).rejects.toThrow(DispatchVoided);
      expect(await refundsOf()).toEqual([5]);
    };
    expect(await sweep(storeWith({ to: 'CreditsRefunded', before }))).toEqual(refunded);
    await expectOneRefundAndNoJob();
  });

  it('the answer of JobQueued is lost: the job stands', async () => {
    const dying = dispatch(storeWith({ to: 'JobQueued', lost: 'answer' }));
    await expect(dying).rejects.toThrow(AppendOutcomeUnknown);
    expect(await sweep()).toEqual(spared);
    await expectTheJobAndNoRefund();
  });
});

describe('two sweeps', () => {
  beforeEach(orphaned);

  it.each([
    ['its fence never arrived', { to: 'JobVoided', lost: 'call' }],
    ['the answer of its fence was lost', { to: 'JobVoided', lost: 'answer' }],
    ['its refund never arrived', { to: 'CreditsRefunded', lost: 'call' }],
    ['the answer of its refund was lost', { to: 'CreditsRefunded', lost: 'answer' }],
  ] as const)('one dies when %s: the other gives back once', async (_when, mishap) => {
    expect(await sweep(storeWith(mishap))).toEqual(failed);
    expect(await sweep()).toEqual(refunded);
    expect(await sweep()).toEqual(refunded);
    await expectOneRefundAndNoJob();
  });

  it.each(['JobVoided', 'CreditsRefunded'] as const)(
    'one overtakes the other just before its %s: one fence, one refund',
    async (to) => {
      const before = async () => expect(await sweep()).toEqual(refunded);
      expect(await sweep(storeWith({ to, before }))).toEqual(refunded);
      await expectOneRefundAndNoJob();
    },
  );
});

describe('two sweeps and a late JobQueued, two hundred times', () => {
  /** Every append takes a random time, so that all orders occur. */
  function jittery(): EventStore {
    return fixture.withAppend((append) => async (stream: string, expected, events: readonly NewEvent[]) => {
      await sleep(Math.random() * 4);
      return append(stream, expected, events);
    });
  }

  it('end with one refund and no job, or with the job and no refund', async () => {
    const ends = { refunded: 0, queued: 0 };
    const round = async () => {
      const payer = await fixture.tenantWith(100);
      const of = { requestId: newId(), jobId: newId() };
      const [late, ...sweeps] = await Promise.allSettled([
        dispatch(jittery(), of, payer),
        // The debit takes its time too. The sweeps wait for it: a real sweep before the debit finds nothing to
        // fence.
        ...[1, 2].map(async () => {
          const charged = async () => (await typesOf(`test.account-${payer}`)).includes('CreditsDebited');
          while (!(await charged())) await sleep(1);
          return sweep(jittery(), of, payer);
        }),
      ]);
      const queued = late.status === 'fulfilled';
      expect(await typesOf(`test.job-${of.jobId}`)).toEqual([queued ? 'JobQueued' : 'JobVoided']);
      expect(await refundsOf(of, payer)).toEqual(queued ? [] : [5]);
      for (const each of sweeps)
        expect(each).toEqual({ status: 'fulfilled', value: queued ? spared : refunded });
      ends[queued ? 'queued' : 'refunded']++;
    };
    for (let rounds = 0; rounds < 20; rounds++) await Promise.all(Array.from({ length: 10 }, round));
    // A race that always ends the same way tests nothing.
    expect(Math.min(ends.refunded, ends.queued)).toBeGreaterThan(10);
  });
});
