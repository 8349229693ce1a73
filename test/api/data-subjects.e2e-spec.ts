import { describe, expect, it } from 'vitest';
import { load } from '#application/aggregate.js';
import { jobAggregate } from '#application/job/job-writes.handler.js';
import type { QueuedJob } from '#domain/job/job.js';
import { streamName } from '#domain/streams.js';
import { canonicalJson } from '#event-store/walk-log.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { wholeLog } from '#read-store/testing/rows-of-history.js';
import { complaints, expectError, type Answer } from './support/api-client.js';
import { drawnPerson } from './support/finish-job.js';
import { aPicture, makePictures, succeedWith } from './support/made-pictures.js';
import { openWorld } from './support/world.js';

const { service, api, tenant } = await openWorld({ credits: 1_000 });
const { key } = tenant;

const model = { kind: 'model_full_body', meta: drawnPerson } as const;

/** Names that stand nowhere by accident. */
const anna = 'Anna Quistgaard';
const ben = 'Ben Quistgaard';

async function uploadOf(...names: string[]): Promise<Answer> {
  const form = new FormData();
  for (const name of names) form.append('data_subject', name);
  form.append('file', new Blob([new Uint8Array(await aPicture())], { type: 'image/png' }), 'p.png');
  return api.call('POST', '/v1/uploads', { key, body: form });
}

const assetOf = async (...names: string[]) => (await uploadOf(...names)).body.asset_id as string;

async function queued({ status, body }: Answer): Promise<QueuedJob> {
  expect({ status, error: body.error }).toEqual({ status: 202, error: undefined });
  return job(body.job_id as string);
}

async function job(jobId: string): Promise<QueuedJob> {
  const { state } = await load(service.store, streamName('live', 'job', jobId), jobAggregate);
  if (!('job' in state)) throw new Error(`${jobId} is not queued`);
  return state.job;
}

const extract = async (trialImage: string, more = {}) =>
  queued(await api.post('/v1/extract', key, { trial_image: trialImage, ...more }));

describe('a data subject', () => {
  it('is named with an upload, and shown with it', async () => {
    const { status, body } = await uploadOf(anna);
    expect({ status, subjects: body.data_subjects }).toEqual({ status: 201, subjects: [anna] });
    const again = await api.get(`/v1/uploads/${body.asset_id}`, key);
    expect(again.body.data_subjects).toEqual([anna]);
    const nameless = await api.get(`/v1/uploads/${await assetOf()}`, key);
    expect(nameless.body).not.toHaveProperty('data_subjects');
  });

  it.each([
    ['too long', ['x'.repeat(129)]],
    ['empty', ['']],
    ['not text', ['a\0b']],
    ['named twice', [anna, ben]],
  ])('that is %s is refused, and the picture is not stored', async (_what, names) => {
    const answer = await uploadOf(...names);
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(complaints(answer)).toEqual(['body.data_subject']);
  });

  it('may have 128 characters, in any script', async () => {
    expect((await uploadOf('🧍'.repeat(128))).status).toBe(201);
  });

  it('of a body and of every picture has the job, each once', async () => {
    const { artifacts } = await makePictures(api, service, tenant, model);
    const trial = async (...names: string[]) => ({
      trial_image: await assetOf(...names),
      trial_item_category: 'top',
    });
    const items = [await trial(ben), await trial(anna), await trial()];
    const order = { data_subject: anna, user_image: artifacts[0]!.assetId, items };
    const { dataSubjects, inputs } = await queued(await api.post('/v1/try-on', key, order));
    expect(dataSubjects).toEqual([anna, ben]);
    expect(inputs.map((input) => input.dataSubjects)).toEqual([undefined, [ben], [anna], undefined]);
  });

  it('is shown with its job, to the tenant alone', async () => {
    const { jobId } = await extract(await assetOf(anna));
    expect((await api.get(`/v1/jobs/${jobId}`, key)).body.data_subjects).toEqual([anna]);
    const stranger = await service.openTenant();
    expectError(await api.get(`/v1/jobs/${jobId}`, stranger.key), 404, 'RESOURCE_NOT_FOUND');
    const { body } = await api.post('/v1/client-tokens', key, { purpose: 'job', job_id: jobId });
    const seen = await api.get(`/v1/jobs/${jobId}`, body.token as string);
    expect(seen.status).toBe(200);
    expect(seen.body).not.toHaveProperty('data_subjects');
  });

  it('of a job without a person is not stored at all', async () => {
    const plain = await extract(await assetOf());
    expect(plain).not.toHaveProperty('dataSubjects');
    expect(plain.inputs[0]).not.toHaveProperty('dataSubjects');
  });

  it('has what is made of its pictures: by job, by picture, from the catalogue and by a product', async () => {
    const { jobId } = await extract(await assetOf(anna));
    const [picture] = await succeedWith(service, tenant, jobId, [{ kind: 'garment', meta: drawnPerson }]);
    const { artifacts } = await makePictures(api, service, tenant, model);
    const swap = { model_image_public_id: artifacts[0]!.assetId };
    const source = { source_render_public_id: jobId, output_preset: 'square', ...swap };
    expect((await queued(await api.post('/v1/model-swap-with-image', key, source))).dataSubjects).toEqual([
      anna,
    ]);
    expect((await extract(picture!.storageKey)).dataSubjects).toEqual([anna]);
    const product = { upload_asset_public_id: picture!.assetId, title: 'Tee', data_subject: ben };
    const made = await api.post('/v1/products', key, product);
    expect(made.body.data_subjects).toEqual([ben, anna]);
    const order = { product_id: made.body.public_id, output_preset: 'square' };
    const worn = await queued(await api.post('/v1/product-to-model-direct', key, order));
    expect(worn.dataSubjects).toEqual([anna, ben]);
  });

  it('of a model that was made of a person goes along from the catalogue', async () => {
    const { body } = await api.post('/v1/model-generator', key, { data_subject: anna });
    const [drawn] = await succeedWith(service, tenant, body.job_id as string, [model]);
    const worn = { model_image_public_id: drawn!.assetId, output_preset: 'square' };
    const order = { product_image_s3_key: await assetOf(), ...worn };
    const { dataSubjects } = await queued(await api.post('/v1/product-to-model-direct', key, order));
    expect(dataSubjects).toEqual([anna]);
  });

  it('of a product can be changed and cleared', async () => {
    const made = await api.post('/v1/products', key, {
      upload_asset_public_id: await assetOf(),
      title: 'Tee',
      data_subject: anna,
    });
    const path = `/v1/products/${made.body.public_id}`;
    const change = (json: object) => api.call('PATCH', path, { key, json });
    expect((await change({ title: 'Shirt' })).body.data_subjects).toEqual([anna]);
    expect((await change({ data_subject: ben })).body.data_subjects).toEqual([ben]);
    const cleared = await change({ clear: ['data_subject'] });
    expect(cleared.body).not.toHaveProperty('data_subjects');
    expect((await api.get(path, key)).body).not.toHaveProperty('data_subjects');
    expect((await change({ data_subject: ben, clear: ['data_subject'] })).status).toBe(422);
  });

  it('has its own photographs of a batch, and all have the batch', async () => {
    const photos = [
      { pdp_image_public_id: await assetOf(ben) },
      { pdp_image_public_id: await assetOf(), data_subject: 'Carl' },
      { pdp_image_public_id: await assetOf() },
    ];
    const parent = await queued(
      await api.post('/v1/pdp-batch-extractions', key, { photos, data_subject: anna }),
    );
    expect(parent.dataSubjects).toEqual([anna, 'Carl', ben]);
    const children = await Promise.all(parent.childJobIds!.map(job));
    expect(children.map(({ dataSubjects }) => dataSubjects)).toEqual([[anna, ben], [anna, 'Carl'], [anna]]);
  });

  it('stands in no stored event', async () => {
    const urls = { eventStoreUrl: service.databaseUrl, databaseUrl: service.databaseUrl };
    await using opened = await openEventStore(urls);
    const stored = (await wholeLog(opened.store)).map(canonicalJson);
    expect(stored.some((text) => text.includes('JobQueued'))).toBe(true);
    expect(stored.filter((text) => text.includes('Quistgaard'))).toEqual([]);
  });
});
