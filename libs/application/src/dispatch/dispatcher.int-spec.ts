import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenedAccount } from '#domain/account/account.js';
import { evolveAsset, initialAsset, storeAsset } from '#domain/asset/asset.js';
import type { AboutPersons } from '#domain/data-subject.js';
import { streamName } from '#domain/streams.js';
import { AppendOutcomeUnknown, type EventStore, storeWith } from '#event-store/event-store.js';
import { createLogger } from '#platform/logger.js';
import { newId } from '#platform/ids.js';
import { AccountWriter } from '../account/account-writer.js';
import { handle } from '../aggregate.js';
import { AccountsFixture } from '../../../../test/support/accounts-fixture.js';
import { sweepOrphans } from '../process-managers/orphan-sweep.js';
import { DispatchWorkflow, DispatchWorkflowHandler } from './dispatch-workflow.handler.js';
import type { DispatchRequest } from './dispatched-jobs.js';
import { type Dispatcher, DispatchVoided } from './dispatcher.js';
import type { DispatchIds, IdempotencyBeginning, IdempotencyStore } from './idempotency.js';
import { priceOperation, switchOperation } from '../../../../test/support/operator.js';
import { oneByOne } from '../../../../test/support/one-by-one.js';
import { commandBusOn, dispatcherOn } from '../../../../test/support/command-bus.js';

const fixture = AccountsFixture.ofSpec();
let store: EventStore;
let accounts: AccountWriter;

beforeAll(() => {
  ({ store } = fixture);
  accounts = new AccountWriter(store, fixture.snapshots);
});

const fresh = (): DispatchIds => ({ requestId: newId(), jobId: newId() });

async function tenantWith(credits: number): Promise<DispatchRequest> {
  const tenant = await fixture.tenantWith(credits);
  const caller = {
    environment: 'test' as const,
    tenant,
    keyId: newId(),
    capabilities: ['jobs:create' as const],
  };
  const endpoint = '/v1/model-generator';
  return { caller, workflow: 'model-generator', endpoint, body: { seed: 7 }, at: new Date() };
}

async function accountOf({ caller }: DispatchRequest) {
  const { state } = await accounts.read('test', caller.tenant);
  const { balance, charges } = state as OpenedAccount;
  return { balance, open: charges.entries().length };
}

/**
 * A store that writes one stream at a time. It dies before an append to a stream of this category, or loses the
 * answer after it.
 */
function dyingAt(category: 'account' | 'job', when: 'before' | 'after'): Dispatcher {
  const dying = oneByOne(
    fixture.withAppend((append) => async (stream, expected, events) => {
      const hit = stream.startsWith(`test.${category}-`);
      if (hit && when === 'before') throw new Error('killed');
      const outcome = await append(stream, expected, events);
      if (hit) throw new AppendOutcomeUnknown('the answer was lost');
      return outcome;
    }),
  );
  const writer = new AccountWriter(dying, fixture.snapshots);
  return dispatcherOn(dying, writer);
}

const dispatcher = () => dispatcherOn(store, accounts);

async function sweep({ caller }: DispatchRequest, { requestId, jobId }: DispatchIds) {
  const candidate = { tenant: caller.tenant, chargeId: requestId, jobId, createdAt: new Date(0) };
  return sweepOrphans({
    environment: 'test',
    commands: commandBusOn({ store, accounts }),
    openCharges: { openChargesOlderThan: () => Promise.resolve([candidate]) },
    clock: () => new Date(),
    logger: createLogger('test', 'silent'),
    orphanHorizonMs: 1,
  });
}

/** How often a new process reads the log for a dispatch that names one picture. */
async function readsOfDispatch(about: AboutPersons): Promise<number> {
  const request = await tenantWith(10);
  const { tenant } = request.caller;
  const assetId = newId();
  const facts = { contentType: 'image/png', width: 1, height: 1, sizeBytes: 9, sha256: 'ab', jobId: null };
  const upload = { ...facts, assetId, tenant, storageKey: assetId, origin: 'upload' as const, ...about };
  const stream = streamName('test', 'asset', assetId);
  const assets = { initial: initialAsset, evolve: evolveAsset };
  const stored = { ...upload, at: new Date().toISOString() };
  await handle(store, stream, assets, (asset) => storeAsset(stored, asset), fixture.context(tenant));
  let reads = 0;
  const readStream: EventStore['readStream'] = (...asked) => ((reads += 1), store.readStream(...asked));
  const counted = storeWith(store, { readStream });
  const extract = { ...request, workflow: 'extract', body: { trial_image: assetId } };
  const writer = new AccountWriter(counted, fixture.snapshots);
  expect(await dispatcherOn(counted, writer).dispatch(extract, fresh())).toMatchObject({ kind: 'accepted' });
  return reads;
}

describe('a dispatch in one append', () => {
  it('reads the log no more often where its picture shows a person whom the tenant has named', async () => {
    const reads = await readsOfDispatch({ dataSubjects: ['Anna'] });
    expect(reads).toBeGreaterThan(0);
    expect(await readsOfDispatch({})).toBe(reads);
  });

  it('writes the charge and its job together', async () => {
    const request = await tenantWith(10);
    const ids = fresh();
    const outcome = await dispatcher().dispatch(request, ids);
    const job = await store.readStream(streamName('test', 'job', ids.jobId));
    const account = await store.readStream(streamName('test', 'account', request.caller.tenant));
    const [queued] = job.kind === 'found' ? job.events : [];
    const debited = account.kind === 'found' ? account.events.at(-1) : undefined;
    expect(outcome).toMatchObject({ kind: 'accepted', creditsCost: 5, position: queued?.position });
    expect(debited).toMatchObject({ type: 'CreditsDebited', data: { jobId: ids.jobId } });
    expect(queued?.position).toBe(debited!.position + 1n);
  });

  it('costs what the price is once the command that changed it has returned, also where an older one is remembered', async () => {
    const remembering = dispatcher();
    const request = { ...(await tenantWith(100)), workflow: 'extract' };
    const context = () => fixture.context('installation');
    const before = await remembering.dispatch(request, fresh());
    await priceOperation(store, context(), 'extract', { credits: 9, reason: 'tests' });
    expect(before).not.toMatchObject({ creditsCost: 9 });
    const together = await Promise.all([1, 2, 3].map(() => remembering.dispatch(request, fresh())));
    for (const each of together) expect(each).toMatchObject({ kind: 'accepted', creditsCost: 9 });
    await switchOperation(store, context(), 'extract', { enabled: false, reason: 'tests' });
    expect(await remembering.dispatch(request, fresh())).toMatchObject({
      kind: 'refused',
      rejection: { code: 'OPERATION_DISABLED' },
    });
    await switchOperation(store, context(), 'extract', { enabled: true, reason: 'tests' });
    expect(await remembering.dispatch(request, fresh())).toMatchObject({ kind: 'accepted', creditsCost: 9 });
  });

  it('fails alone where its job was fenced off, and its neighbours in the mailbox are charged', async () => {
    const request = await tenantWith(100);
    const fenced = fresh();
    await sweep(request, fenced);
    const others = [fresh(), fresh(), fresh()];
    const settled = await Promise.allSettled(
      [...others, fenced].map((ids) => dispatcher().dispatch(request, ids)),
    );
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(await accountOf(request)).toEqual({ balance: 85, open: 3 });
  });

  it('happens once when its answer is lost and it is repeated', async () => {
    const request = await tenantWith(100);
    const ids = fresh();
    const losing = storeWith(store, {
      async appendTogether(writes) {
        await store.appendTogether!(writes);
        throw new AppendOutcomeUnknown('the answer was lost');
      },
    });
    const unlucky = dispatcherOn(losing, new AccountWriter(losing, fixture.snapshots));
    await expect(unlucky.dispatch(request, ids)).rejects.toThrow(AppendOutcomeUnknown);
    expect(await dispatcher().resume(request, ids)).toMatchObject({ kind: 'accepted', ids });
    expect(await dispatcher().dispatch(request, ids)).toMatchObject({ kind: 'accepted', ids });
    expect(await accountOf(request)).toEqual({ balance: 95, open: 1 });
  });
});

describe('a dispatch', () => {
  it('charges once and queues once, whatever dies on the way, when it is repeated with the same ids', async () => {
    for (const category of ['account', 'job'] as const) {
      for (const when of ['before', 'after'] as const) {
        const request = await tenantWith(10);
        const ids = fresh();
        await expect(dyingAt(category, when).dispatch(request, ids)).rejects.toThrow();
        expect(await dispatcher().dispatch(request, ids)).toMatchObject({ kind: 'accepted', ids });
        expect(await dispatcher().dispatch(request, ids)).toMatchObject({ kind: 'accepted', ids });
        expect(await accountOf(request)).toEqual({ balance: 5, open: 1 });
        const job = await store.readStream(streamName('test', 'job', ids.jobId));
        expect(job).toMatchObject({ kind: 'found', events: [{ type: 'JobQueued' }] });
      }
    }
  });

  it('is refused for good once the sweep has fenced its job, and costs nothing', async () => {
    const request = await tenantWith(10);
    const ids = fresh();
    await expect(dyingAt('job', 'before').dispatch(request, ids)).rejects.toThrow();
    expect(await accountOf(request)).toEqual({ balance: 5, open: 1 });
    expect(await sweep(request, ids)).toMatchObject({ refunded: 1 });
    expect(await accountOf(request)).toEqual({ balance: 10, open: 0 });
    await expect(dispatcher().dispatch(request, ids)).rejects.toThrow(DispatchVoided);
    expect(await accountOf(request)).toEqual({ balance: 10, open: 0 });
  });

  it('that is resumed costs what it cost, whatever the price is now, and also when there is none to be had', async () => {
    const request = { ...(await tenantWith(10)), workflow: 'background-generator' };
    const ids = fresh();
    await expect(dyingAt('job', 'before').dispatch(request, ids)).rejects.toThrow();
    const context = () => fixture.context('installation');
    await priceOperation(store, context(), 'background-generator', { credits: 7, reason: 'tests' });
    await switchOperation(store, context(), 'background-generator', { enabled: false, reason: 'tests' });
    expect(await dispatcher().resume(request, ids)).toMatchObject({ kind: 'accepted', creditsCost: 5 });
    expect(await accountOf(request)).toEqual({ balance: 5, open: 1 });
    expect(await dispatcher().dispatch(request, fresh())).toMatchObject({
      kind: 'refused',
      rejection: { code: 'OPERATION_DISABLED' },
    });
    await switchOperation(store, context(), 'background-generator', { enabled: true, reason: 'tests' });
    expect(await dispatcher().dispatch(request, fresh())).toMatchObject({
      kind: 'refused',
      rejection: { code: 'INSUFFICIENT_BALANCE', cost: 7 },
    });
  });

  it('costs what its caller expects, or nothing', async () => {
    const request = { ...(await tenantWith(20)), workflow: 'background-generator', expectedCredits: 7 };
    const price = (credits: number) =>
      priceOperation(store, fixture.context('installation'), 'background-generator', {
        credits,
        reason: 'tests',
      });
    await price(7);
    expect(await dispatcher().dispatch(request, fresh())).toMatchObject({ kind: 'accepted', creditsCost: 7 });
    await price(6);
    expect(await dispatcher().dispatch(request, fresh())).toMatchObject({
      kind: 'refused',
      rejection: { code: 'PRICE_CHANGED', cost: 6, expected: 7 },
    });
    expect(await accountOf(request)).toEqual({ balance: 13, open: 1 });
    await price(7);
  });

  it('that is resumed before it was charged is over: its ids are spent, also for a first try that was only slow', async () => {
    const request = await tenantWith(10);
    const ids = fresh();
    expect(await dispatcher().resume(request, ids)).toBe('spent');
    await expect(dispatcher().dispatch(request, ids)).rejects.toThrow(DispatchVoided);
    expect(await accountOf(request)).toEqual({ balance: 10, open: 0 });
  });

  it('gives its charge back at once when the fence came between debit and queue', async () => {
    const request = await tenantWith(10);
    const ids = fresh();
    expect(await sweep(request, ids)).toMatchObject({ refunded: 1 });
    await expect(dispatcher().dispatch(request, ids)).rejects.toThrow(DispatchVoided);
    expect(await accountOf(request)).toEqual({ balance: 10, open: 0 });
  });

  it('is never swept while its job exists', async () => {
    const request = await tenantWith(10);
    const ids = fresh();
    await dispatcher().dispatch(request, ids);
    expect(await sweep(request, ids)).toMatchObject({ refunded: 0, spared: 1 });
    expect(await accountOf(request)).toEqual({ balance: 5, open: 1 });
  });

  it('that an Idempotency-Key resumes after the sweep becomes a new one, charged once', async () => {
    const request = await tenantWith(10);
    const ids = fresh();
    await expect(dyingAt('job', 'before').dispatch(request, ids)).rejects.toThrow();
    await sweep(request, ids);
    const reassigned: DispatchIds[] = [];
    const answers: unknown[] = [];
    // This test does not cover the key's record. The fake reports what a crash left behind, and notes the
    // calls.
    const record: IdempotencyStore = {
      reopen: () => Promise.reject(new Error('its job is on the log')),
      begin: (keyed) =>
        Promise.resolve<IdempotencyBeginning>({
          kind: 'resume',
          ids,
          lease: { request: keyed, holder: '1' },
        }),
      reassign: (_lease, next) => Promise.resolve(void reassigned.push(next)),
      answer: (_lease, answer) => Promise.resolve(void answers.push(answer)),
      forget: () => Promise.resolve(),
      release: () => Promise.resolve(),
    };
    const handler = new DispatchWorkflowHandler(dispatcher(), record);
    const answer = await handler.execute(new DispatchWorkflow(request, newId(), { key: 'k', bodyHash: 'h' }));
    expect(reassigned).toHaveLength(1);
    expect(answer).toMatchObject({ kind: 'answered', outcome: { kind: 'accepted', ids: reassigned[0] } });
    expect(answers).toHaveLength(1);
    expect(await accountOf(request)).toEqual({ balance: 5, open: 1 });
  });
});
