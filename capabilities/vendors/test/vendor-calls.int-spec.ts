import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EngineError, type BriefedRequest, type VendorCallRecord } from '@atelier/engine';
import { recordedCalls, unattended } from '@atelier/engine/conformance';
import { VendorEngine } from '@atelier/vendors';
import { ComfyVendor } from '@atelier/vendors/comfyui';
import { FalVendor } from '@atelier/vendors/fal';
import { OpenAiVendor } from '@atelier/vendors/openai';
import { handle } from '#application/aggregate.js';
import { jobAggregate } from '#application/job/job-writes.handler.js';
import { cancelJob } from '#domain/job/render-job.js';
import { streamName } from '#domain/streams.js';
import { sandboxModel, type ImageModel } from '#platform/image-models.js';
import type { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { tryOn } from '#workflows/try-on/try-on.js';
import { expectAuditToHold } from '../../../test/support/audited.js';
import { eventually } from '../../../test/support/eventually.js';
import type { RunningWorker } from '../../../test/support/roles.js';
import { Workshop } from '../../../test/worker/support/workshop.js';
import { photo } from './support/vendor-house.js';
import { ComfyDouble } from './families/comfyui.js';
import { FalDouble } from './families/fal.js';
import { OpenAiDouble } from './families/openai.js';
import { declaredModel } from './support/declared-model.js';
import { testedFamilies, testedFamily } from './support/tested-families.js';
import { enginesOf, tryOnIn } from './support/try-ons.js';
import type { Turn, VendorDouble } from './support/vendor-double.js';

/*
 * A call that runs while its worker goes away. It is taken up by its id if the vendor has one, and is never
 * made twice.
 */

const marks = (width: number, height: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="40" height="40" fill="#f00"/></svg>`;

const wayBack = Object.entries(testedFamilies).flatMap(([name, { wayBack: way, ...family }]) =>
  way ? [{ name, ...way, ...family }] : [],
);

let workshop: Workshop;
let tenant: string;
let body: Record<string, unknown>;
beforeAll(async () => {
  // Workers stop here but none dies, so a worker that a busy machine holds up must not count as dead.
  workshop = await Workshop.open({ heartbeatSeconds: 120 });
  await workshop.startProjector();
  tenant = await workshop.tenantWith(10_000);
  body = await tryOnIn(workshop, tenant);
});
afterAll(() => workshop[Symbol.asyncDispose]());

// Workers are also stopped after a failed assertion: a leftover worker would take the next test's job.
const started: RunningWorker[] = [];
const start = async (engine: VendorEngine) => {
  const worker = await workshop.startWorker(engine);
  started.push(worker);
  return worker;
};
const doubles: VendorDouble[] = [];
function opened<Double extends VendorDouble>(double: Double): Double {
  doubles.push(double);
  return double;
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((worker) => worker.stop()));
  await Promise.all(doubles.splice(0).map((double) => double.close()));
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

async function renderAgain(engine: VendorEngine, known: readonly VendorCallRecord[]) {
  const calls = recordedCalls(known.map((call) => ({ ...call })));
  const drawing = engine.render(tryOnRequest(await photo('#345')), { ...unattended(), ...quiet, calls });
  const ended = await drawing.then(
    () => 'drawn',
    (error: unknown) => (error instanceof EngineError ? error.errorClass : error),
  );
  expect(calls.known.every((call) => call.outcome !== undefined)).toBe(true);
  return { ended, calls };
}

describe.each(wayBack)('a call of $name', ({ name, open, vendor, model, told, stopsRunning }) => {
  it('is waited for by the next worker, and submitted once', async () => {
    const double = opened(open());
    Object.assign(double, { gateShut: true });
    const declared = declaredModel(name, await double.open(), model);
    const engine = () => new VendorEngine(declared, vendor(declared), marks);
    const first = await start(engine());
    const ids = await workshop.dispatch(tenant, body, 'try-on');
    await eventually(() => double.submissions === 1);
    await first.stop();
    await start(engine());
    Object.assign(double, { gateShut: false });
    await workshop.ended(tenant, ids);
    expect(double.submissions).toBe(1);
    const types = await workshop.types('job', ids.jobId);
    expect(types.filter((type) => type === 'RenderStarted')).toHaveLength(2);
    expect(types.filter((type) => type === 'EngineCalled')).toHaveLength(1);
    expect(types.at(-1)).toBe('JobSucceeded');
  });

  it.each([
    ['waits', true],
    ['runs', false],
  ])(
    'that %s is cancelled with its job, at the vendor too, and what it cost is on record',
    async (_how, queueShut) => {
      const double = opened(open());
      Object.assign(double, { gateShut: true, queueShut });
      const declared = declaredModel(name, await double.open(), model);
      await start(new VendorEngine(declared, vendor(declared), marks));
      const ids = await workshop.dispatch(tenant, body, 'try-on');
      await eventually(() => double.submissions === 1);
      const why = { reason: 'Cancelled by the caller', at: new Date().toISOString() };
      const stream = streamName('test', 'job', ids.jobId);
      const decide = (job: Parameters<typeof cancelJob>[1]) => cancelJob(why, job);
      await handle(workshop.store, stream, jobAggregate, decide, workshop.context(tenant));
      await eventually(async () => (await workshop.types('job', ids.jobId)).includes('EngineAnswered'));
      expect(told(double)).toBe(true);
      const free = queueShut || stopsRunning;
      expect(await workshop.find('job', ids.jobId, 'EngineAnswered')).toMatchObject([
        free ? { outcome: 'cancelled', price: 0 } : { outcome: 'outcome_unknown', price: 0.04 },
      ]);
    },
  );
});

describe('a call whose worker died', () => {
  it.each([
    ['before the vendor was asked, as far as anybody knows', [begun], 'outcome_unknown'],
    ['after it was submitted', [{ ...begun, vendorRequestId: 'req-1' }], 'drawn'],
  ] as const)('is never made twice: %s', async (_when, known, outcome) => {
    const double = opened(new FalDouble());
    const declared = declaredModel('fal', await double.open(), testedFamily('fal').model);
    double.requests.set('req-1', { turn: 'fine', cancelled: false });
    const engine = new VendorEngine(declared, new FalVendor(declared), marks);
    expect((await renderAgain(engine, known)).ended).toBe(outcome);
    expect(double.submissions).toBe(1);
  });

  it('is looked for at ComfyUI by the id that follows from it, and submitted under that id where it never arrived', async () => {
    const double = opened(new ComfyDouble());
    const declared = declaredModel('comfyui', await double.open(), testedFamily('comfyui').model);
    const vendor = new ComfyVendor(declared);
    const engine = new VendorEngine(declared, vendor, marks);
    const ours = vendor.idOf(begun.idempotencyKey);
    const theirs = '6d2a7e0e-8f0c-5b4e-8a51-0a3f6d1c9b11';
    expect((await renderAgain(engine, [begun])).ended).toBe('drawn');
    expect([...double.prompts.keys()]).toEqual([ours]);
    expect((await renderAgain(engine, [begun])).ended).toBe('drawn');
    expect(double.asked).toHaveLength(1);
    // The id that the server gave is on record, and counts before ours.
    expect((await renderAgain(engine, [{ ...begun, vendorRequestId: theirs }])).ended).toBe('drawn');
    expect([...double.prompts.keys()]).toEqual([ours, theirs]);
  });

  it('is made once more where the operator allows to pay twice, and not a third time', async () => {
    const double = opened(new OpenAiDouble());
    const declared = { ...declaredModel('openai', await double.open()), resend_unknown: true };
    const calls = recordedCalls([{ ...begun }]);
    const bytes = await photo('#345');
    const render = () => {
      const engine = new VendorEngine(declared, new OpenAiVendor(declared), marks);
      return engine.render(tryOnRequest(bytes), { ...unattended(), ...quiet, calls });
    };
    double.turns.push('cut');
    await expect(render()).rejects.toMatchObject({ errorClass: 'outcome_unknown' });
    await expect(render()).rejects.toMatchObject({ errorClass: 'outcome_unknown' });
    expect(double.asked).toHaveLength(1);
  });

  it.each([
    [['cut', 'fine'], 'drawn', 2],
    [['cut', 'cut', 'fine'], 'outcome_unknown', 2],
  ] as const)('is also made once more by the worker that saw it break: %j', async (turns, outcome, asked) => {
    const double = opened(new OpenAiDouble());
    const declared = { ...declaredModel('openai', await double.open()), resend_unknown: true };
    double.turns.push(...turns);
    const engine = new VendorEngine(declared, new OpenAiVendor(declared), marks);
    expect((await renderAgain(engine, [])).ended).toBe(outcome);
    expect(double.asked).toHaveLength(asked);
  });
});

describe('a call that takes too long', () => {
  it.each([
    ['waits at the vendor', true, 'cancelled', 0],
    ['runs at the vendor', false, 'outcome_unknown', 0.04],
  ] as const)('is cancelled at the vendor: one that %s', async (_where, queueShut, outcome, price) => {
    const double = opened(new FalDouble());
    Object.assign(double, { gateShut: true, queueShut });
    const more = { ...testedFamily('fal').model, timeout_seconds: 1 };
    const declared = declaredModel('fal', await double.open(), more);
    const engine = new VendorEngine(declared, new FalVendor(declared), marks);
    const { ended, calls } = await renderAgain(engine, []);
    expect(ended).toBe('outcome_unknown');
    expect([...double.requests.values()]).toMatchObject([{ cancelled: true }]);
    expect(calls.known).toMatchObject([{ outcome }]);
    expect(calls.answers.get('try_on.1')).toMatchObject({ price });
  });
});

describe('the worker of a registry', () => {
  const engines = (models: readonly ImageModel[]) => (queue: PgBossRenderQueue) =>
    enginesOf({ models }, queue);
  let double: OpenAiDouble;
  const named = (id: string, turns: Turn[] = [], more: Partial<ImageModel> = {}): ImageModel => ({
    ...sandboxModel,
    id,
    family: 'openai',
    price_per_picture: 0.04,
    endpoint: double.lane(id, turns),
    ...more,
  });
  beforeEach(async () => {
    double = opened(new OpenAiDouble());
    await double.open();
  });
  const failure = async (jobId: string) => (await workshop.find('job', jobId, 'JobFailed'))[0]?.code;
  const ended = async (ids: { jobId: string; requestId: string }) => {
    await workshop.ended(tenant, ids);
    return (await workshop.find('job', ids.jobId, 'EngineCalled')).map(({ model }) => model);
  };

  it('obeys the model of the dispatch, whatever its own file says now, and refunds a job whose model is gone', async () => {
    const before = await workshop.balance(tenant);
    const chosen = await workshop.dispatch(tenant, { ...body, image_model: 'first' }, 'try-on', 'chosen');
    const gone = await workshop.dispatch(tenant, body, 'try-on', 'gone');
    started.push(await workshop.startWorker(engines([named('first'), named('chosen')])));
    expect(await ended(chosen)).toEqual(['chosen']);
    expect(await ended(gone)).toEqual([]);
    expect(await failure(gone.jobId)).toBe('ENGINE_MISCONFIGURED');
    expect(await workshop.balance(tenant)).toBe(before - 10);
    expect(double.submissionsIn('first')).toBe(0);
  });

  it.each([
    [['cut'], {}, 'ENGINE_OUTCOME_UNKNOWN', ['own']],
    [
      ['cut', 'busy', 'busy', 'busy'],
      { resend_unknown: true },
      'ENGINE_CAPACITY',
      ['own', 'own', 'own', 'own'],
    ],
    [['busy'], {}, undefined, ['own', 'other']],
  ] as const)(
    'asks the fallback for want of capacity, and never after an unknown outcome: %j',
    async (turns, more, code, asked) => {
      const models = [named('own', [...turns], { ...more, fallback: 'other' }), named('other')];
      const ids = await workshop.dispatch(tenant, body, 'try-on', 'own');
      started.push(await workshop.startWorker(engines(models)));
      expect(await ended(ids)).toEqual(asked);
      expect(await failure(ids.jobId)).toBe(code);
      expect(double.submissionsIn('other')).toBe(code === undefined ? 1 : 0);
    },
  );
});

it('the audit raises no alarm over all that happened here', () => expectAuditToHold(workshop));
