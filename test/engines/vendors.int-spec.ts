import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import sharp from 'sharp';
import type { ImageModel, ModelFamily } from '#platform/image-models.js';
import { workflows } from '#workflows/workflows.js';
import type { JobFailureCode } from '#domain/job/job.events.js';
import type { Tenant } from '../api/support/api-service.js';
import { expectAuditToHold } from '../support/audited.js';
import { ComfyDouble } from './doubles/comfy-double.js';
import { FashnDouble } from './doubles/fashn-double.js';
import { GeminiDouble } from './doubles/gemini-double.js';
import { FalDouble, OpenAiDouble, type Turn, type VendorDouble } from './doubles/vendor-double.js';
import { askingJobs, expectDelivered, paidFor, servedBodies, tryOnOf } from './support/served-workflows.js';
import { manyJobsMs, photo, VendorHouse, vendorModelOf, type EndedJob } from './support/vendor-house.js';

/*
 * Vendors end to end: a dispatch over HTTP, a worker, the engine of a vendor, and that vendor at the socket. Each row of the
 * table of failures in docs/engines.md is a test here. All jobs run side by side, each case with a model of its own, whose
 * address tells the double which turns are its own.
 */

const all = workflows.map(({ name }) => name);

/** What one image model of FASHN makes. */
const fashnEndpoints = {
  'tryon-v1.6': ['try-on'],
  'product-to-model': ['product-to-model-direct'],
  'model-swap': ['model-swap-with-image'],
  edit: ['background-swap-with-image', 'background-swap-with-spec'],
};

/** Turns of the vendor; how the job ends; calls that the vendor took in; what is on record as paid. */
type Row = readonly [
  turns: readonly Turn[],
  ends: JobFailureCode | 'SUCCESS',
  submissions: number,
  paid: number,
  more?: Partial<ImageModel>,
];

type VendorFamily = Exclude<ModelFamily, 'sketch' | 'package'>;

interface Family {
  readonly double: VendorDouble;
  /** Of the model that each row asks. */
  readonly model: Partial<ImageModel>;
  /** What the family serves, by the models that it needs for it. */
  readonly serves: readonly (readonly [model: Partial<ImageModel>, workflows: readonly string[]])[];
  readonly rows: readonly Row[];
}

/** What is delivered is judged alike for all. */
const deliveries: readonly Row[] = [
  [['nothing', 'nothing'], 'ENGINE_NO_IMAGE', 2, 0.08],
  [['garbage', 'garbage'], 'ENGINE_NO_IMAGE', 2, 0.08],
  [['format', 'format'], 'ENGINE_NO_IMAGE', 2, 0.08],
  [['blank', 'blank'], 'ENGINE_NO_IMAGE', 2, 0.08],
  [['nothing', 'fine'], 'SUCCESS', 2, 0.08],
];

const answersAtOnce: readonly Row[] = [
  [['policy'], 'ENGINE_POLICY', 1, 0],
  [['bad_input'], 'ENGINE_REJECTED_INPUT', 1, 0],
  [['key'], 'ENGINE_MISCONFIGURED', 1, 0],
  [['quota'], 'ENGINE_MISCONFIGURED', 1, 0],
  [['cut'], 'ENGINE_OUTCOME_UNKNOWN', 1, 0.04],
  [['lost'], 'ENGINE_OUTCOME_UNKNOWN', 1, 0.04],
  [['torn'], 'ENGINE_OUTCOME_UNKNOWN', 1, 0.04],
  [['hang'], 'ENGINE_OUTCOME_UNKNOWN', 1, 0.04],
  [['busy', 'fine'], 'SUCCESS', 2, 0.04],
  [['broken', 'fine'], 'SUCCESS', 2, 0.04],
  [['echo', 'echo'], 'ENGINE_NO_IMAGE', 2, 0.08],
  [['cut', 'fine'], 'SUCCESS', 2, 0.08, { resend_unknown: true }],
  [['lost', 'torn'], 'ENGINE_OUTCOME_UNKNOWN', 2, 0.08, { resend_unknown: true }],
  ...deliveries,
];

/** Refused when it is submitted, or when it runs. */
const answersLater: readonly Row[] = [
  [['policy'], 'ENGINE_POLICY', 1, 0],
  [['bad_input'], 'ENGINE_REJECTED_INPUT', 1, 0],
  [['key'], 'ENGINE_MISCONFIGURED', 0, 0],
  [['quota'], 'ENGINE_MISCONFIGURED', 0, 0],
  [['cut'], 'ENGINE_OUTCOME_UNKNOWN', 0, 0.04],
  [['lost'], 'ENGINE_OUTCOME_UNKNOWN', 1, 0.04],
  [['torn'], 'ENGINE_OUTCOME_UNKNOWN', 1, 0.04],
  [['hang'], 'ENGINE_OUTCOME_UNKNOWN', 0, 0.04],
  [['busy', 'fine'], 'SUCCESS', 1, 0.04],
  [['broken', 'fine'], 'SUCCESS', 1, 0.04],
  ...deliveries,
];

const quick = { poll_ms: 20 };

const families: Readonly<Record<VendorFamily, Family>> = {
  openai: {
    double: new OpenAiDouble(),
    model: { model: 'gpt-image-2' },
    serves: [[{ model: 'gpt-image-2', vision_model: 'gpt-5-mini' }, all]],
    rows: answersAtOnce,
  },
  gemini: {
    double: new GeminiDouble(),
    model: { model: 'gemini-3-pro-image' },
    serves: [[{ model: 'gemini-3-pro-image', vision_model: 'gemini-3-flash', transparent: false }, all]],
    rows: [...answersAtOnce, [['unsafe'], 'ENGINE_POLICY', 1, 0]],
  },
  fashn: {
    double: new FashnDouble(),
    model: { model: 'tryon-v1.6', options: quick },
    serves: Object.entries(fashnEndpoints).map(([model, made]) => [
      { model, max_inputs: model === 'product-to-model' ? 3 : 2, options: quick },
      made,
    ]),
    rows: [
      ...answersLater,
      [['echo', 'echo'], 'ENGINE_NO_IMAGE', 2, 0.08],
      [['unsafe'], 'ENGINE_POLICY', 1, 0],
    ],
  },
  fal: {
    double: new FalDouble(),
    model: {
      model: 'fal-ai/fashn/tryon/v1.6',
      aspect_ratios: ['2:3'],
      options: { ...quick, fields: { person: 'model_image', garment: 'garment_image', seed: 'seed' } },
    },
    serves: [],
    rows: answersLater,
  },
  comfyui: {
    double: new ComfyDouble(),
    model: { options: quick },
    // The shipped graph takes three pictures.
    serves: [
      [
        { options: quick, transparent: false },
        all.filter((name) => !['look', 'catalog-shots'].includes(name)),
      ],
    ],
    rows: [
      [['bad_input'], 'ENGINE_REJECTED_INPUT', 0, 0],
      [['key'], 'ENGINE_MISCONFIGURED', 0, 0],
      // The prompt's id is ours: whether it was taken in can be looked up.
      [['cut', 'fine'], 'SUCCESS', 1, 0.04],
      [['lost'], 'SUCCESS', 1, 0.04],
      [['torn'], 'SUCCESS', 1, 0.04],
      [['hang'], 'ENGINE_OUTCOME_UNKNOWN', 0, 0.04],
      [['busy', 'fine'], 'SUCCESS', 1, 0.04],
      [['broken', 'fine'], 'SUCCESS', 1, 0.04],
      // Out of memory.
      [['unsafe', 'fine'], 'SUCCESS', 2, 0.04],
      [['echo', 'echo'], 'ENGINE_NO_IMAGE', 2, 0.08],
      ...deliveries,
    ],
  },
};

const everyFamily = Object.entries(families) as [VendorFamily, Family][];
const laneOf = ([turns]: Row): string => turns.join('-');

/** A tenant whose jobs one model draws, all workflows that it makes. */
const served = everyFamily.flatMap(([family, { serves }]) =>
  serves.map(([model, made]) => {
    const name = [family, ...(serves.length > 1 ? [model.model] : [])].join('-');
    return { family, name, model, made };
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
/** Whose jobs the rows are. */
let tester: Tenant;
const ended = new Map<string, Promise<EndedJob>>();

/** Begun before anything is awaited: what it comes to is for the case to say. */
function begin(name: string, tenant: Tenant, workflow: string, body: object): void {
  const job = house.run(tenant, workflow, body);
  job.catch(() => undefined);
  ended.set(name, job);
}

beforeAll(async () => {
  await Promise.all(everyFamily.map(([, { double }]) => double.open()));
  (families.openai.double as OpenAiDouble).reading = reading;
  (families.gemini.double as GeminiDouble).reading = reading;
  house = await VendorHouse.open();
  tester = await house.openTenant();
  const rowModels = everyFamily.flatMap(([family, { double, model, rows }]) =>
    rows.map((row) => {
      // What does not hang has the time that a busy machine takes.
      const timeout = row[0].includes('hang') ? { timeout_seconds: 1 } : {};
      const more = { ...model, ...timeout, ...row[4], workflows: ['try-on'] };
      return vendorModelOf(`${family}-${laneOf(row)}`, family, double.lane(laneOf(row), row[0]), more);
    }),
  );
  const owners = await Promise.all(
    served.map(async (each) => ({ ...each, owner: await house.openTenant() })),
  );
  const models = owners.map(({ family, name, model, made }) => {
    const endpoint = families[family].double.lane(name, []);
    return vendorModelOf(name, family, endpoint, { ...model, workflows: made });
  });
  const tenants = Object.fromEntries(owners.map(({ owner, name }) => [owner.id, name]));
  // What test keys name is drawn by the sandbox, unless the registry says otherwise.
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
    // Neither our key nor the one that a vendor's refusal repeats. A MAC holds "sk-" alone now and then.
    expect(JSON.stringify(await house.all('job', job.jobId))).not.toMatch(/sk-(?:vendor-secret|abc)/);
  });
});

it.each(everyFamily)('%s is not asked for a test key', async (family, { double }) => {
  const job = await (ended.get(`${family}-sandboxed`) as Promise<EndedJob>);
  expect(job.detail).toMatchObject({ status: 'SUCCESS', image_model: 'sketch-1' });
  expect(await house.types(job.jobId)).not.toContain('EngineCalled');
  expect(double.requestsIn(`${family}-sandboxed`)).toBe(0);
  expect(double.requestsIn(laneOf(families[family].rows[0] as Row))).toBeGreaterThan(0);
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
