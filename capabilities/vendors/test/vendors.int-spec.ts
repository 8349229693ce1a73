import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import sharp from 'sharp';
import type { ImageModel } from '#platform/image-models.js';
import type { Tenant } from '../../../test/api/support/api-service.js';
import { expectAuditToHold } from '../../../test/support/audited.js';
import { askingJobs, expectDelivered, paidFor, servedBodies, tryOnOf } from './support/served-workflows.js';
import { manyJobsMs, photo, VendorHouse, vendorModelOf, type EndedJob } from './support/vendor-house.js';
import { testedFamilies } from './support/tested-families.js';
import type { Row } from './support/tested-family.js';

/*
 * Vendors end to end: a dispatch over HTTP, a worker, the engine of a vendor, and that vendor at the socket.
 * Each row of the table of failures in docs/engines.md is a test here. All jobs run side by side. Each case has
 * a model of its own, and the double sees from the model's address which turns belong to the case.
 */

const everyFamily = Object.entries(testedFamilies).map(
  ([name, family]) => [name, { ...family, double: family.open() }] as const,
);
const laneOf = ([turns]: Row): string => turns.join('-');

/** Each of these models gets a tenant. The model draws the tenant's jobs, in all workflows that it makes. */
const served = everyFamily.flatMap(([family, { serves, double }]) =>
  serves.map(([model, made]) => {
    const name = [family, ...(serves.length > 1 ? [model.model] : [])].join('-');
    return { family, double, name, model, made };
  }),
);

const reading = {
  garments: [
    { name: 'red dress', slot: 'one_piece', primary_colour: 'red', material: 'linen', pattern: 'solid' },
    { name: 'straw hat', slot: 'headwear', primary_colour: 'sand', material: 'straw', pattern: 'solid' },
  ],
  person_visible: true,
  garment_visible: true,
  background_visible: true,
  person: { gender: 'FEMALE', age_range: '22-26', body_type: 'unknown' },
  garment: { name: 'red dress', primary_colour: 'red', material: 'linen', pattern: 'solid' },
  recipe: {},
  person_groups: [{ member_indices: [0, 1], confidence: 0.9, evidence: 'the same person' }],
  location_groups: [],
};

// All jobs wait in one queue.
vi.setConfig({ testTimeout: manyJobsMs, hookTimeout: manyJobsMs });

let house: VendorHouse;
/** The tenant that owns the jobs of the rows. */
let tester: Tenant;
const ended = new Map<string, Promise<EndedJob>>();

/** Begins all jobs before anything is awaited. The case looks at the outcome. */
function begin(name: string, tenant: Tenant, workflow: string, body: object): void {
  const job = house.run(tenant, workflow, body);
  job.catch(() => undefined);
  ended.set(name, job);
}

beforeAll(async () => {
  for (const [, { double }] of everyFamily) {
    double.reading = reading;
    await double.open();
  }
  house = await VendorHouse.open();
  tester = await house.openTenant();
  const rowModels = everyFamily.flatMap(([family, { double, model, rows }]) =>
    rows.map((row) => {
      // Only a call that hangs has a short limit; others have the time that a busy machine takes.
      const timeout = row[0].includes('hang') ? { timeout_seconds: 1 } : {};
      const more = { ...model, ...timeout, ...row[4], workflows: ['try-on'] };
      return vendorModelOf(`${family}-${laneOf(row)}`, family, double.lane(laneOf(row), row[0]), more);
    }),
  );
  const owners = await Promise.all(
    served.map(async (each) => ({ ...each, owner: await house.openTenant() })),
  );
  const models = owners.map(({ family, double, name, model, made }) => {
    const endpoint = double.lane(name, []);
    return vendorModelOf(name, family, endpoint, { ...model, workflows: made });
  });
  const tenants = Object.fromEntries(owners.map(({ owner, name }) => [owner.id, name]));
  // The sandbox draws for test keys, even if they name a model, unless the registry says otherwise.
  const sandboxed = everyFamily.map(([family, { double }]) => {
    const endpoint = double.lane(`${family}-sandboxed`, []);
    return vendorModelOf(`${family}-sandboxed`, family, endpoint, { test_keys: 'sandbox' });
  });
  await house.startRoles({ models: [...models, ...rowModels, ...sandboxed], tenant_models: tenants });
  for (const { id } of sandboxed)
    begin(id, tester, 'background-generator', { scene_type: 'studio', image_model: id });
  await Promise.all([dispatchRows(rowModels), ...owners.map(dispatchWorkflows)]);
});
afterAll(async () => {
  await house?.[Symbol.asyncDispose]();
  await Promise.all(everyFamily.map(([, { double }]) => double.close()));
});

const photographs = async () => ({ person: await photo('#345'), garment: await photo('#c63') });

async function dispatchRows(models: readonly ImageModel[]): Promise<void> {
  const body = await tryOnOf(house, tester, await photographs());
  for (const { id } of models) begin(id, tester, 'try-on', { ...body, image_model: id });
}

async function dispatchWorkflows({ owner, name, model, made }: (typeof served)[number] & { owner: Tenant }) {
  const serving = { tenant: owner, made, maxInputs: model.max_inputs, drawsFirst: 'openai' };
  for (const [workflow, body] of await servedBodies(house, serving, await photographs()))
    begin(`${name}/${workflow}`, owner, workflow, body);
}

describe.each(everyFamily)('what %s answers', (family, { double, rows }) => {
  it.each(rows.map((row) => [...row] as const))('%j: %s', async (turns, ends, submissions, paid) => {
    const lane = turns.join('-');
    const job = await (ended.get(`${family}-${lane}`) as Promise<EndedJob>);
    expect({
      ends: job.detail.error?.code ?? job.detail.status,
      submissions: double.submissionsIn(lane),
      paid: await paidFor(house, job.jobId),
      charged: await house.charged(tester, job),
    }).toEqual({ ends, submissions, paid, charged: ends === 'SUCCESS' ? job.detail.credits_cost : 0 });
    // No event holds our key, or the key that a vendor's refusal repeats. A MAC may contain "sk-" alone now and
    // then.
    expect(JSON.stringify(await house.all('job', job.jobId))).not.toMatch(/sk-(?:vendor-secret|abc)/);
  });
});

it.each(everyFamily)('%s is not asked for a test key', async (family, { double, rows }) => {
  const job = await (ended.get(`${family}-sandboxed`) as Promise<EndedJob>);
  expect(job.detail).toMatchObject({ status: 'SUCCESS', image_model: 'sketch-1' });
  expect(await house.types(job.jobId)).not.toContain('EngineCalled');
  expect(double.requestsIn(`${family}-sandboxed`)).toBe(0);
  expect(double.requestsIn(laneOf(rows[0] as Row))).toBeGreaterThan(0);
});

it('an answer is on record with what it was, what it cost and how often it was asked', async () => {
  const { jobId, detail } = await (ended.get('openai-nothing-fine') as Promise<EndedJob>);
  const [failed, answered] = await house.find(jobId, 'EngineAnswered');
  expect(failed).toMatchObject({ outcome: 'no_image', units: 1, price: 0.04, currency: 'USD' });
  expect(answered).toMatchObject({ outcome: 'answered', units: 1, vendorRequestId: expect.any(String) });
  const called = await house.find(jobId, 'EngineCalled');
  expect(called.map(({ idempotencyKey, attempt }) => [idempotencyKey, attempt])).toEqual([
    [`${jobId}.try_on.1`, 1],
    [`${jobId}.try_on.2`, 2],
  ]);
  const [succeeded] = await house.find(jobId, 'JobSucceeded');
  const { vendorRequestId } = answered ?? {};
  expect(succeeded?.provenance).toMatchObject({ engine: 'openai', vendorRequestIds: [vendorRequestId] });
  const picture = await house.download(detail.result?.artifacts[0]?.image_url ?? '');
  expect(String((await sharp(picture).metadata()).xmp)).toContain(jobId);
  expect(await house.types(jobId)).toEqual([
    'JobQueued',
    'RenderStarted',
    'EngineCalled',
    'EngineAnswered',
    'RenderStarted',
    'EngineCalled',
    'EngineAnswered',
    'JobSucceeded',
  ]);
});

it('photographs are grouped and read by a vision model, and parts that need one say so where there is none', async () => {
  const batch = await (ended.get('gemini/pdp-batch-extractions') as Promise<EndedJob>);
  const grouped = await house.find(batch.jobId, 'StageCompleted');
  expect(grouped.flatMap(({ artifacts }) => artifacts.map(({ kind }) => kind))).toEqual([
    'grouping',
    'person',
  ]);
  const kinds = async (family: string) => {
    const { detail } = await (ended.get(`${family}/pdp-extractions`) as Promise<EndedJob>);
    return (detail.result?.artifacts ?? []).map(({ kind }) => kind);
  };
  const read = ['background_plate', 'garment', 'person', 'photography_recipe'];
  expect((await kinds('openai')).toSorted()).toEqual(read);
  expect((await kinds('gemini')).toSorted()).toEqual(read);
  const blind = await (ended.get('comfyui/pdp-extractions') as Promise<EndedJob>);
  expect((await kinds('comfyui')).toSorted()).toEqual(['background_plate', 'garment']);
  const [succeeded] = await house.find(blind.jobId, 'JobSucceeded');
  expect(succeeded?.failures).toEqual([
    expect.objectContaining({ arm: 'person', code: 'VISION_MODEL_REQUIRED' }),
    expect.objectContaining({ arm: 'recipe', code: 'VISION_MODEL_REQUIRED' }),
  ]);
});

describe.each(served)('what $name makes', ({ family, name, made }) => {
  it.each(made)('%s: accepted, drawn, delivered as it was ordered, and paid for', async (workflow) => {
    const job = await (ended.get(`${name}/${workflow}`) as Promise<EndedJob>);
    await expectDelivered(house, name, job);
    const jobs = askingJobs(job);
    const called = (await Promise.all(jobs.map((id) => house.find(id, 'EngineCalled')))).flat();
    expect(called.every((call) => call.vendor === family && call.model === name)).toBe(true);
    const paid = await Promise.all(jobs.map((id) => paidFor(house, id)));
    expect(paid.every((price) => price > 0)).toBe(true);
  });
});

it('the audit raises no alarm over all that happened here', () => expectAuditToHold(house.service));
