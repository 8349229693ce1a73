import { debitCredits } from '#domain/account/debit-credits.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenedAccount } from '#domain/account/account.js';
import { evolveAsset, initialAsset, storeAsset } from '#domain/asset/asset.js';
import { evolveJob, initialJob, type QueuedJob } from '#domain/job/job.js';
import { cancelJob } from '#domain/job/render-job.js';
import { streamName } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { newId, timelessId, timeOfId } from '#platform/ids.js';
import { createLogger } from '#platform/logger.js';
import { AccountWriter } from '../account/account-writer.js';
import { AccountsFixture } from '../../../../test/support/accounts-fixture.js';
import { handle, load } from '../aggregate.js';
import { sweepOrphans } from '../process-managers/orphan-sweep.js';
import {
  childChargeId,
  childJobId,
  childrenOf as childrenOfParent,
  type DispatchRequest,
} from './dispatched-jobs.js';
import { DispatchVoided } from './dispatcher.js';
import type { DispatchIds } from './idempotency.js';
import { priceOperation } from '../../../../test/support/operator.js';
import { commandBusOn, dispatcherOn } from '../../../../test/support/command-bus.js';

const jobs = { initial: initialJob, evolve: evolveJob };
const assets = { initial: initialAsset, evolve: evolveAsset };
const photos = 3;

const fixture = AccountsFixture.ofSpec();
let store: EventStore;
let accounts: AccountWriter;

beforeAll(() => {
  ({ store } = fixture);
  accounts = new AccountWriter(store, fixture.snapshots);
});

const fresh = (): DispatchIds => ({ requestId: newId(), jobId: newId() });
const dispatcher = (of: EventStore = store) => dispatcherOn(of, new AccountWriter(of, fixture.snapshots));

async function photograph(tenant: string): Promise<string> {
  const assetId = newId();
  const storageKey = `test/${tenant}/uploads/${assetId}.png`;
  const facts = { contentType: 'image/png', width: 1, height: 1, sizeBytes: 9, sha256: assetId, jobId: null };
  const at = new Date().toISOString();
  const asset = { assetId, tenant, storageKey, ...facts, origin: 'upload' as const, at };
  const stream = streamName('test', 'asset', assetId);
  await handle(store, stream, assets, (state) => storeAsset(asset, state), fixture.context(tenant));
  return assetId;
}

async function batchOf(credits: number): Promise<DispatchRequest> {
  const tenant = await fixture.tenantWith(credits);
  const ids = await Promise.all(Array.from({ length: photos }, () => photograph(tenant)));
  const capabilities = ['jobs:create' as const];
  return {
    caller: { environment: 'test', tenant, keyId: newId(), capabilities },
    workflow: 'pdp-batch-extractions',
    endpoint: '/v1/pdp-batch-extractions',
    body: { photos: ids.map((id) => ({ pdp_image_public_id: id })) },
    at: new Date(),
  };
}

async function accountOf({ caller }: DispatchRequest) {
  const { state } = await accounts.read('test', caller.tenant);
  const { balance, charges } = state as OpenedAccount;
  return { balance, open: charges.entries().map(([id]) => id) };
}

const chargesOf = ({ requestId }: DispatchIds) => [0, 1, 2].map((index) => childChargeId(requestId, index));
const childrenOf = ({ jobId }: DispatchIds) => [0, 1, 2].map((index) => childJobId(jobId, index));
const stateOf = async (jobId: string) => (await load(store, streamName('test', 'job', jobId), jobs)).state;
const statusesOf = (jobIds: string[]) =>
  Promise.all(jobIds.map(async (jobId) => (await stateOf(jobId)).status));

/** The store of a process that dies as it appends to the job with this id, or to any job. */
function killedAt(jobId = ''): EventStore {
  return fixture.withAppend((append) => (stream, expected, events) => {
    if (stream.startsWith(`test.job-${jobId}`)) return Promise.reject(new Error('killed'));
    return append(stream, expected, events);
  });
}

function sweep({ caller }: DispatchRequest, ids: DispatchIds, photo = [0, 1, 2]) {
  const candidates = photo.map((index) => ({
    tenant: caller.tenant,
    chargeId: childChargeId(ids.requestId, index),
    jobId: childJobId(ids.jobId, index),
    createdAt: new Date(0),
  }));
  return sweepOrphans({
    environment: 'test',
    commands: commandBusOn({ store, accounts }),
    openCharges: { openChargesOlderThan: () => Promise.resolve(candidates) },
    clock: () => new Date(),
    logger: createLogger('test', 'silent'),
    orphanHorizonMs: 1,
  });
}

describe('the dispatch of a batch', () => {
  it('gives its children ids of its own time', () => {
    const ids = fresh();
    expect(childrenOf(ids).map(timeOfId)).toEqual(Array(3).fill(timeOfId(ids.jobId)));
    expect(new Set(childrenOf(ids)).size).toBe(3);
  });

  it('makes a charge and a job for each photograph in one append, and a parent that has no charge', async () => {
    const request = await batchOf(12);
    const ids = fresh();
    const outcome = await dispatcher().dispatch(request, ids);
    expect(outcome).toMatchObject({ kind: 'accepted', ids, creditsCost: 12, position: await store.head() });
    expect(await accountOf(request)).toEqual({ balance: 0, open: chargesOf(ids) });
    const { job: parent } = (await stateOf(ids.jobId)) as { job: QueuedJob };
    expect(parent).toMatchObject({ chargeId: null, creditsCost: 12, childJobIds: childrenOf(ids) });
    expect(parent.inputs.map(({ name }) => name)).toEqual(['photo-0', 'photo-1', 'photo-2']);
    const { job: last } = (await stateOf(childJobId(ids.jobId, 2))) as { job: QueuedJob };
    expect(last).toMatchObject({
      operation: 'pdp-extractions',
      creditsCost: 4,
      chargeId: childChargeId(ids.requestId, 2),
      parentJobId: ids.jobId,
      childIndex: 2,
      seed: parent.seed,
      inputs: [{ ...parent.inputs[2], name: 'pdp_image' }],
    });
  });

  it('orders the files of its photographs as its own', async () => {
    const files = { output_format: 'webp', max_bytes: 90_000 };
    const request = await batchOf(12);
    const ids = fresh();
    await dispatcher().dispatch({ ...request, body: { ...request.body, ...files } }, ids);
    const { job: last } = (await stateOf(childJobId(ids.jobId, 2))) as { job: QueuedJob };
    expect(last.request).toEqual({ pdp_image_public_id: expect.any(String), ...files });
  });

  it('is refused when only its sum is too much, and nothing is charged', async () => {
    const request = await batchOf(11);
    const ids = fresh();
    expect(await dispatcher().dispatch(request, ids)).toMatchObject({
      kind: 'refused',
      rejection: { code: 'INSUFFICIENT_BALANCE', balance: 11, cost: 12 },
    });
    expect(await accountOf(request)).toEqual({ balance: 11, open: [] });
    expect(await stateOf(ids.jobId)).toEqual({ status: 'unqueued' });
  });

  it.each([
    ['its parent', (ids: DispatchIds) => ids.jobId],
    ['one of its children', ({ jobId }: DispatchIds) => childJobId(jobId, 1)],
  ])('that was killed at %s goes on with what it charged, repeated or resumed', async (_what, victim) => {
    for (const how of ['dispatch', 'resume'] as const) {
      const request = await batchOf(24);
      const ids = fresh();
      await expect(dispatcher(killedAt(victim(ids))).dispatch(request, ids)).rejects.toThrow('killed');
      for (let time = 0; time < 2; time++) {
        expect(await dispatcher()[how](request, ids)).toMatchObject({ kind: 'accepted', creditsCost: 12 });
      }
      expect(await accountOf(request)).toEqual({ balance: 12, open: chargesOf(ids) });
      const states = await Promise.all([ids.jobId, ...childrenOf(ids)].map(stateOf));
      // Each try draws its own seed; all jobs share the stored one.
      expect(new Set(states.map((state) => 'job' in state && state.job.seed)).size).toBe(1);
      expect(states.map(({ status }) => status)).toEqual(Array(4).fill('queued'));
    }
  });

  it('that is resumed costs what it cost, whatever a photograph costs now', async () => {
    const request = await batchOf(12);
    const ids = fresh();
    await expect(dispatcher(killedAt()).dispatch(request, ids)).rejects.toThrow('killed');
    await priceOperation(store, fixture.context('installation'), 'pdp-extractions', {
      credits: 9,
      reason: 'tests',
    });
    expect(await dispatcher().resume(request, ids)).toMatchObject({ kind: 'accepted', creditsCost: 12 });
    const again = await dispatcher().dispatch(request, fresh());
    expect(again).toMatchObject({ kind: 'refused', rejection: { balance: 0, cost: 27 } });
    const context = fixture.context('installation');
    await priceOperation(store, context, 'pdp-extractions', { credits: 4, reason: 'tests' });
  });
});

describe('a batch whose charges an earlier release made', () => {
  const timeless = ({ jobId }: DispatchIds) =>
    [0, 1, 2].map((index) => timelessId(`${jobId}/child/${index}`));

  it('goes on with the jobs that they were made for, and cancels those', async () => {
    const request = await batchOf(12);
    const ids = fresh();
    const charges = timeless(ids).map((jobId, index) => ({
      chargeId: childChargeId(ids.requestId, index),
      requestId: ids.requestId,
      jobId,
      amount: 4,
      parentJobId: ids.jobId,
      operation: request.workflow,
      endpoint: request.endpoint,
      at: request.at.toISOString(),
    }));
    await accounts.execute(fixture.context(request.caller.tenant), (account) =>
      debitCredits(charges, account),
    );
    expect(await dispatcher().resume(request, ids)).toMatchObject({ kind: 'accepted', creditsCost: 12 });
    const { job: parent } = (await stateOf(ids.jobId)) as { job: QueuedJob };
    expect(parent.childJobIds).toEqual(timeless(ids));
    expect(childrenOfParent(parent).map(({ jobId }) => jobId)).toEqual(timeless(ids));
    expect(await statusesOf(timeless(ids))).toEqual(Array(3).fill('queued'));
    expect(await statusesOf(childrenOf(ids))).toEqual(Array(3).fill('unqueued'));
  });
});

describe('a batch that was killed between debit and queue', () => {
  async function killed(): Promise<[DispatchRequest, DispatchIds]> {
    const request = await batchOf(12);
    const ids = fresh();
    await expect(dispatcher(killedAt()).dispatch(request, ids)).rejects.toThrow('killed');
    expect(await accountOf(request)).toEqual({ balance: 0, open: chargesOf(ids) });
    return [request, ids];
  }
  const givenBack = { balance: 12, open: [] };

  it('is given back whole by the sweep, and is over then', async () => {
    const [request, ids] = await killed();
    expect(await sweep(request, ids)).toMatchObject({ refunded: 3 });
    expect(await accountOf(request)).toEqual(givenBack);
    await expect(dispatcher().dispatch(request, ids)).rejects.toThrow(DispatchVoided);
    expect(await dispatcher().resume(request, ids)).toBe('spent');
    expect(await statusesOf([ids.jobId, ...childrenOf(ids)])).toEqual(Array(4).fill('voided'));
    expect(await accountOf(request)).toEqual(givenBack);
  });

  it('is given back in the name of the request that made it', async () => {
    const [request, ids] = await killed();
    await sweep(request, ids);
    const account = streamName('test', 'account', request.caller.tenant);
    for (const stream of [streamName('test', 'job', childJobId(ids.jobId, 1)), account]) {
      const slice = await store.readStream(stream, { direction: 'backwards', limit: 1 });
      const [last] = slice.kind === 'found' ? slice.events : [];
      expect(last?.metadata.requestId).toBe(ids.requestId);
    }
  });

  it('and then resumed while the sweep is at it, is given back whole', async () => {
    const [request, ids] = await killed();
    expect(await sweep(request, ids, [1])).toMatchObject({ refunded: 1 });
    expect(await dispatcher().resume(request, ids)).toBe('spent');
    expect(await accountOf(request)).toEqual(givenBack);
    await expect(dispatcher().dispatch(request, ids)).rejects.toThrow(DispatchVoided);
    expect(await accountOf(request)).toEqual(givenBack);
  });

  it('or was only slow, goes on without the photographs that the sweep has given back', async () => {
    const [request, ids] = await killed();
    await sweep(request, ids, [1]);
    expect(await dispatcher().dispatch(request, ids)).toMatchObject({ kind: 'accepted' });
    expect(await statusesOf(childrenOf(ids))).toEqual(['queued', 'voided', 'queued']);
    expect(await accountOf(request)).toMatchObject({ balance: 4 });
  });
});

describe('a batch whose first try was slow', () => {
  it('gives every charge back when its parent was fenced off meanwhile', async () => {
    const request = await batchOf(12);
    const ids = fresh();
    expect(await dispatcher().resume(request, ids)).toBe('spent');
    await expect(dispatcher().dispatch(request, ids)).rejects.toThrow(DispatchVoided);
    expect(await accountOf(request)).toEqual({ balance: 12, open: [] });
    expect(await statusesOf(childrenOf(ids))).toEqual(Array(3).fill('unqueued'));
  });

  it('gets no children any more once its parent was cancelled', async () => {
    const request = await batchOf(12);
    const ids = fresh();
    const atFirstChild = killedAt(childJobId(ids.jobId, 0));
    const dying = dispatcherOn(atFirstChild, accounts);
    await expect(dying.dispatch(request, ids)).rejects.toThrow('killed');
    const stream = streamName('test', 'job', ids.jobId);
    const cancel = { reason: 'Cancelled.', at: new Date().toISOString() };
    await handle(
      store,
      stream,
      jobs,
      (job) => cancelJob(cancel, job),
      fixture.context(request.caller.tenant),
    );
    expect(await dispatcher().resume(request, ids)).toMatchObject({ kind: 'accepted' });
    expect(await stateOf(childJobId(ids.jobId, 0))).toEqual({ status: 'unqueued' });
  });
});
