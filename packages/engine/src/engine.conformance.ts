import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import {
  armPattern,
  artifactKinds,
  innerMetaKeys,
  metaKeys,
  partFailureCodes,
  stageNames,
  EngineError,
  type EnginePicture,
  type EngineStage,
  type ImageEngine,
  type EngineRequest,
  type EngineContext,
  type RenderContext,
  type VendorCallAnswer,
  type VendorCallRecord,
  type VendorCalls,
  type RenderResult,
} from './image-engine.js';

/** A workflow's order in a test: a body that validates, the pictures that it names, and its brief. */
export type Order = Pick<EngineRequest, 'body' | 'inputs' | 'brief'>;

export interface EngineUnderTest {
  readonly engine: ImageEngine;
  /**
   * One order for each workflow that the engine draws. Several tests render the first order, so it must be
   * quick and have stages.
   */
  readonly orders: Readonly<Record<string, Order>>;
  /** The same request and seed give the same bytes. */
  readonly repeatable: boolean;
  /**
   * Whether the engine itself marks the pictures of the test environment. If it comes from a package, the
   * service marks them.
   */
  readonly marks: boolean;
  /** Resolves the ids of garments in the orders. */
  readonly garmentKind: RenderContext['garmentKind'];
}

interface Rendered {
  readonly result: RenderResult;
  readonly stages: readonly EngineStage[];
}

const oneLine = /^\S.*\S$/;
const formats = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp' };

async function expectPicture({ kind, label, bytes, contentType, width, height, meta }: EnginePicture) {
  expect(artifactKinds).toContain(kind);
  expect([...metaKeys, ...innerMetaKeys]).toEqual(expect.arrayContaining(Object.keys(meta)));
  expect(label).toMatch(oneLine);
  const found = await sharp(bytes).metadata();
  expect(formats[found.format as keyof typeof formats]).toBe(contentType);
  expect([found.width, found.height]).toEqual([width, height]);
  // The value is stored in an event, where a value that is not JSON would change.
  expect(JSON.parse(JSON.stringify(meta))).toEqual(meta);
}

interface RecordedCalls extends VendorCalls {
  /** Keyed by call. */
  readonly answers: ReadonlyMap<string, VendorCallAnswer>;
}

/** The record of a job's calls, in memory. */
export function recordedCalls(known: VendorCallRecord[] = []): RecordedCalls {
  const answers = new Map<string, VendorCallAnswer>();
  const change = (call: string, news: Partial<VendorCallRecord>) => {
    const index = known.findIndex((each) => each.call === call);
    known[index] = { ...known[index], ...news } as VendorCallRecord;
    return Promise.resolve();
  };
  return {
    known,
    answers,
    begin: async ({ step, model }) => {
      const call = `${step}.${known.filter((each) => each.step === step).length + 1}`;
      const record = { call, step, model, idempotencyKey: `job.${call}` };
      known.push(record);
      return record;
    },
    submitted: (call, vendorRequestId) => change(call, { vendorRequestId }),
    answered: (call, answer) => {
      answers.set(call, answer);
      return change(call, { outcome: answer.outcome });
    },
    kept: (call) => Promise.resolve(answers.get(call) ?? { pictures: [] }),
  };
}

/** The context of an engine that calls vendors, for jobs that are never cancelled. */
export function unattended(): Pick<EngineContext, 'calls' | 'abandoned'> {
  return { calls: recordedCalls(), abandoned: new AbortController().signal };
}

/** The port's rules as tests. Every engine must pass them, so they do not depend on any one engine. */
export function describeEngine(
  name: string,
  { engine, orders, repeatable, marks, garmentKind }: EngineUnderTest,
): void {
  const requestFor = (workflow: string, order: Order): EngineRequest => ({
    workflow,
    ...order,
    seed: 7,
    displayName: '',
    testMark: false,
  });

  async function render(request: EngineRequest): Promise<Rendered> {
    const stages: EngineStage[] = [];
    let reporting = 0;
    const result = await engine.render(request, {
      signal: new AbortController().signal,
      garmentKind,
      ...unattended(),
      onStage: async (stage) => {
        expect(reporting++).toBe(0);
        await new Promise((resolve) => setTimeout(resolve, 5));
        reporting--;
        stages.push(stage);
      },
    });
    // The report of a stage that is still pending here would arrive after the end of its job.
    expect(reporting).toBe(0);
    return { result, stages };
  }

  const bytesOf = ({ result }: Rendered): Buffer[] => result.pictures.map(({ bytes }) => bytes);

  describe(`${name} as an image engine`, () => {
    const [quickest] = Object.entries(orders);
    if (!quickest) throw new RangeError('an engine draws at least one workflow');
    const quick = requestFor(...quickest);

    it('has a name', () => {
      expect(engine.name).toMatch(oneLine);
    });

    it.each(Object.entries(orders))(
      'makes pictures of %s, and tells of each stage',
      async (workflow, order) => {
        const { result, stages } = await render(requestFor(workflow, order));
        expect(result.pictures.length).toBeGreaterThan(0);
        expect(result.message).toMatch(oneLine);
        expect(result.model).toMatch(oneLine);
        for (const { stage, message } of stages) {
          expect(stageNames).toContain(stage);
          expect(message).toMatch(oneLine);
        }
        for (const { arm, code, message } of result.failures ?? []) {
          expect(arm).toMatch(new RegExp(`^${armPattern}$`));
          expect(partFailureCodes).toContain(code);
          expect(message).toMatch(oneLine);
        }
        for (const picture of [...stages.flatMap(({ pictures }) => pictures), ...result.pictures])
          await expectPicture(picture);
      },
    );

    it.each(Object.entries(orders).filter(([, { inputs }]) => inputs.length > 0))(
      'refuses %s with pictures that cannot be read as bad input',
      async (workflow, order) => {
        const broken = order.inputs.map((input) => ({
          name: input.name,
          bytes: Buffer.from('no picture at all'),
        }));
        const refusal = render(requestFor(workflow, { ...order, inputs: broken }));
        await expect(refusal).rejects.toBeInstanceOf(EngineError);
        await expect(refusal).rejects.toMatchObject({ errorClass: 'bad_input' });
      },
    );

    it('refuses a workflow that it does not know as misconfigured', async () => {
      const refusal = render({ ...quick, workflow: 'no-such-workflow' });
      await expect(refusal).rejects.toBeInstanceOf(EngineError);
      await expect(refusal).rejects.toMatchObject({ errorClass: 'misconfigured' });
    });

    it('renders several requests at once as it renders each alone', async () => {
      const [one, two, other] = await Promise.all([
        render(quick),
        render(quick),
        render({ ...quick, seed: 8 }),
      ]);
      expect(bytesOf(one)).not.toEqual(bytesOf(other));
      if (repeatable) expect(bytesOf(one)).toEqual(bytesOf(two));
    });

    if (marks)
      it('marks pictures of the test environment', async () => {
        const marked = await render({ ...quick, testMark: true });
        expect(bytesOf(marked)).not.toEqual(bytesOf(await render(quick)));
      });

    it('renders nothing for a request that is aborted already', async () => {
      const reason = new Error('cancelled by its owner');
      let reported = false;
      const context = {
        signal: AbortSignal.abort(reason),
        garmentKind,
        ...unattended(),
        onStage: async () => void (reported = true),
      };
      await expect(engine.render(quick, context)).rejects.toBe(reason);
      expect(reported).toBe(false);
    });

    it('rejects with the reason within a second of an abort', async () => {
      const controller = new AbortController();
      const reason = new Error('cancelled by its owner');
      let abortedAt = 0;
      setTimeout(() => {
        abortedAt = performance.now();
        controller.abort(reason);
      }, 30);
      const context: EngineContext = {
        signal: controller.signal,
        garmentKind,
        ...unattended(),
        onStage: () => Promise.resolve(),
      };
      await expect(engine.render(quick, context)).rejects.toBe(reason);
      expect(performance.now() - abortedAt).toBeLessThan(1000);
    });

    it('ends with the error of a stage that could not be reported', async () => {
      const lost = new Error('the job is over');
      const context = {
        signal: new AbortController().signal,
        garmentKind,
        ...unattended(),
        onStage: () => Promise.reject(lost),
      };
      await expect(engine.render(quick, context)).rejects.toBe(lost);
    });
  });
}
