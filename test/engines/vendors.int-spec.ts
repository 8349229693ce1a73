import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { EngineError, type BriefedRequest, type VendorCallRecord } from '@atelier/engine';
import { recordedCalls, unattended } from '@atelier/engine/conformance';
import { VendorEngine, type ImageVendor, type PictureCall, type VendorModel } from '@atelier/vendors';
import { FalVendor } from '@atelier/vendors/fal';
import { OpenAiVendor } from '@atelier/vendors/openai';
import { handle } from '#application/aggregate.js';
import { jobAggregate } from '#application/job/job-writes.handler.js';
import type { JobFailureCode } from '#domain/job/job.events.js';
import { cancelJob } from '#domain/job/render-job.js';
import { streamName } from '#domain/streams.js';
import { tryOn } from '#workflows/try-on/try-on.js';
import { eventually } from '../support/eventually.js';
import type { RunningWorker } from '../support/roles.js';
import { Workshop } from '../worker/support/workshop.js';
import { FalDouble, OpenAiDouble, type Turn, type VendorDouble } from './doubles/vendor-double.js';

/*
 * Vendors end to end: a dispatch, a worker, the engine of a vendor, and that vendor at the socket. Each row of the table of
 * failures in docs/engines.md is a test here.
 */

const common = {
  ...{ secret: 'sk-vendor-secret', supports_quality: false, transparent: true, seed: true, max_inputs: 16 },
  ...{
    price_per_picture: 0.04,
    price_per_reading: 0.01,
    currency: 'USD',
    timeout_seconds: 3,
    resend_unknown: false,
  },
};

interface Family {
  readonly double: VendorDouble;
  model(endpoint: string): VendorModel;
  vendor(model: VendorModel): ImageVendor;
}

const openai: Family = {
  double: new OpenAiDouble(),
  model: (endpoint) => ({
    ...common,
    id: 'gpt',
    family: 'openai',
    model: 'gpt-image-2',
    endpoint,
    options: {},
  }),
  vendor: (model) => new OpenAiVendor(model),
};

const fal: Family = {
  double: new FalDouble(),
  model: (endpoint) => ({
    ...{
      ...common,
      id: 'fashn-on-fal',
      family: 'fal',
      model: 'fal-ai/fashn/tryon/v1.6',
      endpoint,
      aspect_ratios: ['2:3'],
    },
    options: { fields: { person: 'model_image', garment: 'garment_image', seed: 'seed' }, poll_ms: 20 },
  }),
  vendor: (model) => new FalVendor(model),
};

let workshop: Workshop;
let tenant: string;
let body: Record<string, unknown>;
beforeAll(async () => {
  // Here a worker stops, and none dies: one that a busy machine holds up must not be taken for dead.
  workshop = await Workshop.open({ heartbeatSeconds: 120 });
  await workshop.startProjector();
  tenant = await workshop.tenantWith(10_000);
  const person = await workshop.upload(tenant, { bytes: await photo('#345'), width: 800, height: 1200 });
  const garment = await workshop.upload(tenant, { bytes: await photo('#c63'), width: 800, height: 1200 });
  body = {
    user_image: person.assetId,
    items: [{ trial_image: garment.assetId, trial_item_category: 'top' }],
  };
});
afterAll(() => workshop[Symbol.asyncDispose]());

const photo = async (colour: string) => {
  const art = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="1200"><rect width="100%" height="100%" fill="#eee"/><rect x="200" y="200" width="400" height="800" fill="${colour}"/></svg>`;
  return sharp(Buffer.from(art)).png().toBuffer();
};

const marks = (width: number, height: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="40" height="40" fill="#f00"/></svg>`;

describe.each([
  ['openai', openai],
  ['fal', fal],
])('the vendor %s', (name, { double, model, vendor }) => {
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const declared = model(await double.open());
    const worker = await workshop.startWorker(new VendorEngine(declared, vendor(declared), marks));
    stop = () => worker.stop();
  });
  afterAll(async () => {
    await stop();
    await double.close();
  });

  async function render(...turns: Turn[]) {
    double.turns.push(...turns);
    const before = { submissions: double.submissions, balance: await workshop.balance(tenant) };
    const ids = await workshop.dispatch(tenant, body, 'try-on');
    await workshop.ended(tenant, ids);
    const [succeeded] = await workshop.find('job', ids.jobId, 'JobSucceeded');
    const [failed] = await workshop.find('job', ids.jobId, 'JobFailed');
    const answers = await workshop.find('job', ids.jobId, 'EngineAnswered');
    const paid = Math.round(answers.reduce((sum, { price }) => sum + price, 0) * 100) / 100;
    return {
      ...{ ids, succeeded, failed, answers, paid },
      submissions: double.submissions - before.submissions,
      charged: before.balance - (await workshop.balance(tenant)),
    };
  }

  it('draws what was ordered, says what it was and keeps what it cost', async () => {
    const { ids, succeeded, answers, submissions, charged } = await render('fine');
    expect(submissions).toBe(1);
    expect(charged).toBe(10);
    const [artifact] = succeeded?.artifacts ?? [];
    expect(artifact).toMatchObject({
      kind: 'try_on_render',
      width: 683,
      height: 1024,
      contentType: 'image/jpeg',
    });
    expect(succeeded?.provenance).toMatchObject({ engine: name, vendorRequestIds: [expect.any(String)] });
    expect(answers).toMatchObject([{ outcome: 'answered', units: 1, price: 0.04, currency: 'USD' }]);
    const types = (await workshop.types('job', ids.jobId)).filter((type) => type !== 'EngineSubmitted');
    expect(types).toEqual(['JobQueued', 'RenderStarted', 'EngineCalled', 'EngineAnswered', 'JobSucceeded']);
    const [called] = await workshop.find('job', ids.jobId, 'EngineCalled');
    expect(called).toMatchObject({
      call: 'try_on.1',
      attempt: 1,
      idempotencyKey: `${ids.jobId}.try_on.1`,
      tenant,
    });

    const picture = await workshop.storage.get(artifact?.storageKey ?? '');
    const { exif, xmp } = await sharp(picture).metadata();
    expect(exif).toBeUndefined();
    expect(String(xmp)).toContain('digitalsourcetype/compositeWithTrainedAlgorithmicMedia');
    expect(String(xmp)).toContain(ids.jobId);
    // The mark of the test environment.
    const corner = await sharp(picture).extract({ left: 5, top: 5, width: 1, height: 1 }).raw().toBuffer();
    expect(corner[0]).toBeGreaterThan(200);
  });

  /** What callers read, how often the vendor was asked, and what that cost. Each is refunded. */
  const failures: (readonly [Turn[], JobFailureCode, submissions: number, paid: number])[] = [
    [['policy'], 'ENGINE_POLICY', 1, 0],
    [['bad_input'], 'ENGINE_REJECTED_INPUT', 1, 0],
    [['key'], 'ENGINE_MISCONFIGURED', name === 'fal' ? 0 : 1, 0],
    [['quota'], 'ENGINE_MISCONFIGURED', name === 'fal' ? 0 : 1, 0],
    [['cut'], 'ENGINE_OUTCOME_UNKNOWN', name === 'fal' ? 0 : 1, 0.04],
    [['hang'], 'ENGINE_OUTCOME_UNKNOWN', name === 'fal' ? 0 : 1, 0.04],
    [['nothing', 'nothing'], 'ENGINE_NO_IMAGE', 2, 0.08],
    [['garbage', 'garbage'], 'ENGINE_NO_IMAGE', 2, 0.08],
    [['format', 'format'], 'ENGINE_NO_IMAGE', 2, 0.08],
    [['blank', 'blank'], 'ENGINE_NO_IMAGE', 2, 0.08],
  ];

  it.each(failures)('%j: the job fails as %s, refunded', async (turns, code, submissions, paid) => {
    const result = await render(...turns);
    expect(result.failed?.code).toBe(code);
    expect([result.charged, result.submissions, result.paid]).toEqual([0, submissions, paid]);
    expect(JSON.stringify(await workshop.eventsOf('job', result.ids.jobId))).not.toMatch(/sk-/);
  });

  it.each([
    ['busy', 'capacity'],
    ['broken', 'capacity'],
    ['nothing', 'no_image'],
  ] as const)('%s: tries again, and the second try is the picture', async (turn, outcome) => {
    const { succeeded, answers } = await render(turn, 'fine');
    expect(succeeded).toBeDefined();
    expect(answers.map((each) => each.outcome)).toEqual([outcome, 'answered']);
  });
});

it('OpenAI: an input that comes back unchanged is no picture', async () => {
  const double = new OpenAiDouble();
  const declared = openai.model(await double.open());
  const worker = await workshop.startWorker(new VendorEngine(declared, openai.vendor(declared), marks));
  double.turns.push('echo', 'echo');
  const ids = await workshop.dispatch(tenant, body, 'try-on');
  await workshop.ended(tenant, ids);
  expect(await workshop.find('job', ids.jobId, 'JobFailed')).toMatchObject([{ code: 'ENGINE_NO_IMAGE' }]);
  await worker.stop();
  await double.close();
});

const begun = { call: 'try_on.1', step: 'try_on', model: 'm', idempotencyKey: 'job.try_on.1' };
const quiet = {
  signal: new AbortController().signal,
  garmentKind: () => undefined,
  onStage: () => Promise.resolve(),
};

function tryOnRequest(bytes: Buffer): BriefedRequest {
  const items = [{ trial_image: 'b', trial_item_category: 'top' as const }];
  const facts = { body: { user_image: 'a', items, display_name: '' }, pictures: [], category: undefined };
  const inputs = ['user_image', 'item-0'].map((name) => ({ name, bytes }));
  return {
    brief: () => tryOn.brief({ ...facts, displayName: '' }),
    inputs,
    seed: 7,
    displayName: '',
    testMark: false,
  };
}

describe('a call that runs when its worker goes', () => {
  // Also when an assertion fails: a worker that is left behind would take the next test's job.
  const started: RunningWorker[] = [];
  const start = async (engine: VendorEngine) => {
    const worker = await workshop.startWorker(engine);
    started.push(worker);
    return worker;
  };
  afterEach(async () => {
    await Promise.all(started.splice(0).map((worker) => worker.stop()));
  });

  it('is waited for by the next worker, and submitted once', async () => {
    const double = new FalDouble();
    double.gateShut = true;
    const declared = { ...fal.model(await double.open()), timeout_seconds: 60 };
    const engine = () => new VendorEngine(declared, new FalVendor(declared), marks);
    const first = await start(engine());
    const ids = await workshop.dispatch(tenant, body, 'try-on');
    await eventually(async () => (await workshop.types('job', ids.jobId)).includes('EngineSubmitted'));
    await first.stop();
    await start(engine());
    double.gateShut = false;
    await workshop.ended(tenant, ids);
    expect(double.submissions).toBe(1);
    const types = await workshop.types('job', ids.jobId);
    expect(types.filter((type) => type === 'RenderStarted')).toHaveLength(2);
    expect(types.filter((type) => type === 'EngineCalled')).toHaveLength(1);
    expect(types.at(-1)).toBe('JobSucceeded');
    await double.close();
  });

  const points: readonly (readonly [
    string,
    readonly VendorCallRecord[],
    submissions: number,
    outcome: string,
  ])[] = [
    ['before the vendor was asked, as far as anybody knows', [begun], 0, 'outcome_unknown'],
    ['after it was submitted', [{ ...begun, vendorRequestId: 'req-1' }], 0, 'drawn'],
  ];

  it.each(points)('is never made twice by one that died %s', async (_when, known, submissions, outcome) => {
    const double = new FalDouble();
    const declared = fal.model(await double.open());
    double.requests.set('req-1', { turn: 'fine', cancelled: false });
    const calls = recordedCalls(known.map((call) => ({ ...call })));
    const engine = new VendorEngine(declared, new FalVendor(declared), marks);
    const drawing = engine.render(tryOnRequest(await photo('#345')), { ...unattended(), ...quiet, calls });
    const ended = await drawing.then(
      () => 'drawn',
      (error: unknown) => (error instanceof EngineError ? error.errorClass : error),
    );
    expect(ended).toBe(outcome);
    expect(double.submissions - 1).toBe(submissions);
    expect(calls.known.every((call) => call.outcome !== undefined)).toBe(true);
    await double.close();
  });

  it('whose outcome is unknown is made once more where the operator allows to pay twice, and not a third time', async () => {
    const double = new OpenAiDouble();
    const declared = { ...openai.model(await double.open()), resend_unknown: true };
    const calls = recordedCalls([{ ...begun }]);
    const render = () =>
      new VendorEngine(declared, new OpenAiVendor(declared), marks).render(tryOnRequest(testPhoto), {
        ...unattended(),
        ...quiet,
        calls,
      });
    const testPhoto = await photo('#345');
    double.turns.push('cut');
    await expect(render()).rejects.toMatchObject({ errorClass: 'outcome_unknown' });
    await expect(render()).rejects.toMatchObject({ errorClass: 'outcome_unknown' });
    expect(double.asked).toHaveLength(1);
    await double.close();
  });

  it('is cancelled with its job, at the vendor too, and what it cost is on record', async () => {
    const double = new FalDouble();
    double.gateShut = true;
    const declared = { ...fal.model(await double.open()), timeout_seconds: 60 };
    await start(new VendorEngine(declared, new FalVendor(declared), marks));
    const ids = await workshop.dispatch(tenant, body, 'try-on');
    await eventually(async () => (await workshop.types('job', ids.jobId)).includes('EngineSubmitted'));
    const why = { reason: 'Cancelled by the caller', at: new Date().toISOString() };
    const stream = streamName('test', 'job', ids.jobId);
    await handle(
      workshop.store,
      stream,
      jobAggregate,
      (job) => cancelJob(why, job),
      workshop.context(tenant),
    );
    await eventually(async () => (await workshop.types('job', ids.jobId)).includes('EngineAnswered'));
    expect([...double.requests.values()].map(({ cancelled }) => cancelled)).toEqual([true]);
    expect(await workshop.find('job', ids.jobId, 'EngineAnswered')).toMatchObject([
      { outcome: 'cancelled', price: 0 },
    ]);
    await double.close();
  });
});

describe('the way of a vendor', () => {
  it('OpenAI gets the brief in words, the pictures in order, and no second try of the client', async () => {
    const double = openai.double as OpenAiDouble;
    const [asked] = double.asked;
    expect(asked?.path).toBe('/images/edits');
    expect(asked?.body).toContain('dress its person in the top of image 2');
    expect(asked?.body.match(/name="image\[\]"/g)).toHaveLength(2);
    expect(asked?.headers['authorization']).toBe('Bearer sk-vendor-secret');
  });

  it('fal gets each picture by the part that it plays', () => {
    const double = fal.double as FalDouble;
    const input = JSON.parse(double.asked[0]?.body ?? '{}') as Record<string, unknown>;
    expect(Object.keys(input).toSorted()).toEqual(['garment_image', 'model_image', 'seed']);
    expect(double.asked[0]?.headers['x-fal-no-retry']).toBe('1');
  });

  it.each([
    ['openai', openai],
    ['fal', fal],
  ])('%s that cannot be reached has no capacity: nothing was sent', async (_name, { model, vendor }) => {
    // An address where somebody was, and nobody is.
    const gone = new OpenAiDouble();
    const declared = model(await gone.open());
    await gone.close();
    const call: PictureCall = {
      task: 'background',
      ...{
        images: [],
        prompt: 'a place',
        size: { width: 1024, height: 1024 },
        ratio: '1:1',
      },
      ...{ transparent: false, count: 1, quality: undefined, seed: 1, idempotencyKey: 'k' },
      ...{ signal: new AbortController().signal, submitted: () => Promise.resolve() },
    };
    const refused = vendor(declared).draw(call);
    await expect(refused).rejects.toBeInstanceOf(EngineError);
    await expect(refused).rejects.toMatchObject({ errorClass: 'capacity' });
  });
});
