import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { EngineError, type EngineErrorClass } from '@atelier/engine';
import { engineThat, obligingEngine, plainPicture, type Behaviour } from './support/engines.js';
import { Workshop } from './support/workshop.js';
import { untilEnd } from '../support/until-end.js';

const workshop = untilEnd(await Workshop.open());
await workshop.startProjector();

/** Dispatches one job to one worker whose engine behaves like this, and waits until everything is over. */
async function render(behave: Behaviour, settings: { renderTimeoutMs?: number } = {}) {
  const tenant = await workshop.tenantWith(100);
  const worker = await workshop.startWorker(engineThat(behave), settings);
  const ids = await workshop.dispatch(tenant, { display_name: 'Nora', seed: 7 });
  await workshop.ended(tenant, ids);
  await worker.stop();
  return { tenant, worker, ...ids };
}

function failing(errorClass: EngineErrorClass, attempts = Infinity, retryAfterMs?: number) {
  const calls: number[] = [];
  const behave = () => {
    calls.push(Date.now());
    if (calls.length > attempts) return Promise.resolve();
    return Promise.reject(new EngineError(errorClass, `no: ${errorClass}`, retryAfterMs));
  };
  return { calls, behave };
}

describe('rendering a job', () => {
  it('settles the charge of a job that succeeds, and says where its picture came from', async () => {
    const { tenant, jobId, worker } = await render(() => Promise.resolve());
    expect(await workshop.types('job', jobId)).toEqual(['JobQueued', 'RenderStarted', 'JobSucceeded']);
    expect(await workshop.types('account', tenant)).toEqual([
      'AccountOpened',
      'CreditsPurchased',
      'CreditsDebited',
      'CreditsSettled',
    ]);
    expect(await workshop.balance(tenant)).toBe(95);

    const [started] = await workshop.find('job', jobId, 'RenderStarted');
    expect(started).toMatchObject({ attempt: 1, worker: worker.id });
    const [succeeded] = await workshop.find('job', jobId, 'JobSucceeded');
    const { artifacts, provenance } = succeeded!;
    expect(provenance).toMatchObject({
      engine: 'plain',
      model: 'plain-1',
      seed: 7,
      attempt: 1,
      inputHashes: [],
    });
    const [artifact] = artifacts;
    expect(artifact).toMatchObject({ kind: 'on_model_render', role: 'final', width: 8, height: 6 });
    expect(artifact!.storageKey).toBe(`test/${tenant}/renders/${jobId}/${artifact!.assetId}.png`);
    const bytes = await workshop.storage.get(artifact!.storageKey);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(artifact!.sha256);
    expect((await sharp(bytes).metadata()).width).toBe(8);
    expect(await workshop.eventsOf('asset', artifact!.assetId)).toMatchObject([
      { type: 'AssetStored', data: { tenant, jobId, origin: 'render', sizeBytes: bytes.length } },
    ]);
  });

  it('reports each stage, with its pictures, before the job ends', async () => {
    const { jobId } = await render(async (_request, context) => {
      await context.onStage({
        stage: 'garment_cutout',
        message: 'Cut out',
        pictures: [await plainPicture('garment_cutout')],
      });
      await context.onStage({ stage: 'placed', message: 'Lit', pictures: [] });
    });
    const stages = await workshop.find('job', jobId, 'StageCompleted');
    expect(stages).toMatchObject([
      {
        stage: 'garment_cutout',
        message: 'Cut out',
        artifacts: [{ role: 'intermediate', kind: 'garment_cutout' }],
      },
      { stage: 'placed', artifacts: [] },
    ]);
    const [succeeded] = await workshop.find('job', jobId, 'JobSucceeded');
    expect(succeeded!.artifacts[0]!.assetId).not.toBe(stages[0]!.artifacts[0]!.assetId);
    await workshop.storage.get(stages[0]!.artifacts[0]!.storageKey);
  });

  it('marks pictures of the test environment, and passes the request on as it was validated', async () => {
    let seen: unknown;
    await render((request) => {
      seen = request;
      return Promise.resolve();
    });
    expect(seen).toMatchObject({
      workflow: 'model-generator',
      body: { display_name: 'Nora', seed: 7 },
      seed: 7,
      displayName: 'Nora',
      testMark: true,
      inputs: [],
    });
  });

  it.each([
    ['bad_input', 'ENGINE_REJECTED_INPUT', 1],
    ['policy', 'ENGINE_POLICY', 1],
    ['outcome_unknown', 'ENGINE_OUTCOME_UNKNOWN', 1],
    ['misconfigured', 'ENGINE_MISCONFIGURED', 1],
    ['no_image', 'ENGINE_NO_IMAGE', 2],
    ['capacity', 'ENGINE_CAPACITY', 3],
  ] as const)('%s ends as %s after %i attempts, and refunds', async (errorClass, code, attempts) => {
    const { calls, behave } = failing(errorClass);
    const { tenant, jobId } = await render(behave);
    expect(calls).toHaveLength(attempts);
    expect(await workshop.find('job', jobId, 'JobFailed')).toMatchObject([
      { code, message: `no: ${errorClass}`, attempt: attempts },
    ]);
    expect(await workshop.find('account', tenant, 'CreditsRefunded')).toMatchObject([
      { amount: 5, reason: 'job-failed' },
    ]);
    expect(await workshop.balance(tenant)).toBe(100);
  });

  it('waits as long as a busy engine asks, and then succeeds', async () => {
    const { calls, behave } = failing('capacity', 1, 1500);
    const { jobId } = await render(behave);
    expect(calls[1]! - calls[0]!).toBeGreaterThanOrEqual(1400);
    const [succeeded] = await workshop.find('job', jobId, 'JobSucceeded');
    expect(succeeded!.provenance!.attempt).toBe(2);
  });

  it('fails a job whose engine crashes each time when its attempts are used up', async () => {
    const { jobId, tenant } = await render(() => Promise.reject(new TypeError('a bug in the engine')));
    expect(await workshop.types('job', jobId)).toEqual([
      'JobQueued',
      'RenderStarted',
      'RenderStarted',
      'RenderStarted',
      'JobFailed',
    ]);
    expect(await workshop.find('job', jobId, 'JobFailed')).toMatchObject([{ code: 'ATTEMPTS_EXHAUSTED' }]);
    expect(await workshop.balance(tenant)).toBe(100);
  });

  it('does not ask again when the engine took too long, even when the engine ignores its signal', async () => {
    let calls = 0;
    const { jobId } = await render(
      async () => {
        calls++;
        await sleep(2000, undefined, { ref: false });
      },
      { renderTimeoutMs: 300 },
    );
    expect(calls).toBe(1);
    expect(await workshop.find('job', jobId, 'JobFailed')).toMatchObject([
      { code: 'ENGINE_OUTCOME_UNKNOWN' },
    ]);
  });
});

describe('the inputs of a render', () => {
  async function uploadFor(tenant: string) {
    const { bytes, width, height } = await plainPicture('garment', '#246');
    return workshop.upload(tenant, { bytes, width, height });
  }

  it('are fetched from storage, and their hashes are on record', async () => {
    const tenant = await workshop.tenantWith(100);
    const upload = await uploadFor(tenant);
    let seen: readonly { name: string; bytes: Buffer }[] = [];
    const engine = engineThat((request) => {
      seen = request.inputs;
      return Promise.resolve();
    });
    const worker = await workshop.startWorker(engine);
    const body = { product_image_s3_key: upload.storageKey };
    const ids = await workshop.dispatch(tenant, body, 'product-to-model-direct');
    await workshop.ended(tenant, ids);
    await worker.stop();
    expect(seen).toMatchObject([{ name: 'product_image' }]);
    expect(createHash('sha256').update(seen[0]!.bytes).digest('hex')).toBe(upload.sha256);
    const [succeeded] = await workshop.find('job', ids.jobId, 'JobSucceeded');
    expect(succeeded!.provenance!.inputHashes).toEqual([upload.sha256]);
  });

  it('fail the job when one of them is not the picture that was queued', async () => {
    const tenant = await workshop.tenantWith(100);
    const upload = await uploadFor(tenant);
    await workshop.storage.put(upload.storageKey, (await plainPicture('garment', '#fff')).bytes, 'image/png');
    const worker = await workshop.startWorker(obligingEngine);
    const body = { product_image_s3_key: upload.storageKey };
    const ids = await workshop.dispatch(tenant, body, 'product-to-model-direct');
    await workshop.ended(tenant, ids);
    await worker.stop();
    expect(await workshop.find('job', ids.jobId, 'JobFailed')).toMatchObject([
      { code: 'ENGINE_REJECTED_INPUT' },
    ]);
    expect(await workshop.balance(tenant)).toBe(100);
  });
});
