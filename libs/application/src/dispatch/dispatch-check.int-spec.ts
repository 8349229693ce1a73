import { describe, expect, it } from 'vitest';
import { evolveAsset, initialAsset, storeAsset } from '#domain/asset/asset.js';
import { evolveJob, initialJob } from '#domain/job/job.js';
import { streamName } from '#domain/streams.js';
import { newId } from '#platform/ids.js';
import { AccountWriter } from '../account/account-writer.js';
import { handle, load } from '../aggregate.js';
import { dispatcherOn } from '../../../../test/support/command-bus.js';
import { AccountsFixture } from '../../../../test/support/accounts-fixture.js';
import { oneByOne } from '../../../../test/support/one-by-one.js';
import type { AskedOfCheck, CheckAnswer, DispatchCheck } from './dispatch-check.js';
import type { DispatchRequest } from './dispatched-jobs.js';

const fixture = AccountsFixture.ofSpec();
const assets = { initial: initialAsset, evolve: evolveAsset };
const jobs = { initial: initialJob, evolve: evolveJob };
const refusal = { code: 'RELEASE_REQUIRED', message: 'No release.' } as const;

/** Gives the same answer to each question, and keeps the questions. */
class Answering implements DispatchCheck {
  readonly asked: AskedOfCheck[] = [];

  constructor(private readonly answer: (asked: AskedOfCheck) => CheckAnswer) {}

  check(asked: AskedOfCheck): Promise<CheckAnswer> {
    this.asked.push(asked);
    return Promise.resolve(this.answer(asked));
  }
}

async function tenantOf(credits: number): Promise<DispatchRequest['caller']> {
  const tenant = await fixture.tenantWith(credits);
  return { environment: 'test', tenant, keyId: newId(), capabilities: ['jobs:create'] };
}

async function photograph(tenant: string, ...dataSubjects: string[]): Promise<string> {
  const assetId = newId();
  const facts = { contentType: 'image/png', width: 1, height: 1, sizeBytes: 9, sha256: 'ab', jobId: null };
  const at = new Date().toISOString();
  const about = dataSubjects.length > 0 ? { dataSubjects } : {};
  const asset = { assetId, tenant, storageKey: assetId, ...facts, origin: 'upload' as const, at, ...about };
  const stream = streamName('test', 'asset', assetId);
  await handle(fixture.store, stream, assets, (state) => storeAsset(asset, state), fixture.context(tenant));
  return assetId;
}

function requestOf(caller: DispatchRequest['caller'], workflow: string, body: DispatchRequest['body']) {
  return { caller, workflow, endpoint: `/v1/${workflow}`, body, at: new Date() };
}

async function jobOf(jobId: string) {
  const { state } = await load(fixture.store, streamName('test', 'job', jobId), jobs);
  return 'job' in state ? state.job : undefined;
}

function dispatcher(check: DispatchCheck, store = fixture.store) {
  return dispatcherOn(store, new AccountWriter(store, fixture.snapshots), check);
}

describe('a check before a dispatch', () => {
  it('is asked only where the dispatch is about a person', async () => {
    const caller = await tenantOf(10);
    const check = new Answering(() => ({ kind: 'refused', refusal }));
    const request = requestOf(caller, 'extract', { trial_image: await photograph(caller.tenant) });
    const ids = { requestId: newId(), jobId: newId() };
    expect(await dispatcher(check).dispatch(request, ids)).toMatchObject({ kind: 'accepted' });
    expect(check.asked).toEqual([]);
    expect(await jobOf(ids.jobId)).not.toHaveProperty('permits');
  });

  it.each([
    ['in one append', (store: typeof fixture.store) => store],
    ['in two steps', oneByOne],
  ])('refuses it %s: nothing is charged, and there is no job', async (_how, storeOf) => {
    const caller = await tenantOf(10);
    const check = new Answering(() => ({ kind: 'refused', refusal }));
    const image = await photograph(caller.tenant, 'Anna');
    const request = requestOf(caller, 'extract', { trial_image: image, data_subject: 'Ben' });
    const ids = { requestId: newId(), jobId: newId() };
    const outcome = await dispatcher(check, storeOf(fixture.store)).dispatch(request, ids);
    expect(outcome).toEqual({ kind: 'refused', requestId: ids.requestId, rejection: refusal });
    const { environment, tenant } = caller;
    const asked = { environment, tenant, workflow: 'extract', dataSubjects: ['Ben', 'Anna'] };
    expect(check.asked).toEqual([{ ...asked, at: request.at }]);
    const { state } = await new AccountWriter(fixture.store, fixture.snapshots).read('test', tenant);
    expect(state).toMatchObject({ balance: 10 });
    expect(await jobOf(ids.jobId)).toBeUndefined();
  });

  it('names what permits each person, for a batch and each of its photographs', async () => {
    const caller = await tenantOf(20);
    const permits = ({ dataSubjects }: AskedOfCheck) =>
      dataSubjects.map((name) => (name === 'Anna' ? null : `permit of ${name}`));
    const check = new Answering((asked) => ({ kind: 'allowed', permits: permits(asked) }));
    const photos = [
      { pdp_image_public_id: await photograph(caller.tenant, 'Ben') },
      { pdp_image_public_id: await photograph(caller.tenant), data_subject: 'Carl' },
    ];
    const request = requestOf(caller, 'pdp-batch-extractions', { photos, data_subject: 'Anna' });
    const ids = { requestId: newId(), jobId: newId() };
    await dispatcher(check).dispatch(request, ids);
    expect(check.asked.map(({ workflow }) => workflow)).toEqual(['pdp-extractions']);
    const parent = await jobOf(ids.jobId);
    expect(parent?.dataSubjects).toEqual(['Anna', 'Carl', 'Ben']);
    expect(parent?.permits).toEqual([null, 'permit of Carl', 'permit of Ben']);
    const children = await Promise.all(parent!.childJobIds!.map(jobOf));
    expect(children.map((child) => child?.permits)).toEqual([
      [null, 'permit of Ben'],
      [null, 'permit of Carl'],
    ]);
  });

  it('does not stop a dispatch that was paid before', async () => {
    const caller = await tenantOf(10);
    const image = await photograph(caller.tenant, 'Anna');
    const request = requestOf(caller, 'extract', { trial_image: image });
    const ids = { requestId: newId(), jobId: newId() };
    const dying = oneByOne(
      fixture.withAppend((append) => (stream, expected, events) => {
        if (stream.startsWith('test.job-')) return Promise.reject(new Error('killed'));
        return append(stream, expected, events);
      }),
    );
    const allowing = new Answering(() => ({ kind: 'allowed' }));
    await expect(dispatcher(allowing, dying).dispatch(request, ids)).rejects.toThrow('killed');
    const refusing = new Answering(() => ({ kind: 'refused', refusal }));
    expect(await dispatcher(refusing).resume(request, ids)).toMatchObject({ kind: 'accepted' });
    expect(await jobOf(ids.jobId)).toMatchObject({ dataSubjects: ['Anna'] });
  });
});
