import { describe, expect, it } from 'vitest';
import { recordedCalls, unattended } from '@atelier/engine/conformance';
import { EngineError, type EngineContext, type EngineErrorClass, type EngineRequest } from '@atelier/engine';
import { MemoryRateLimitStore } from '#application/limits/rate-limit-store.js';
import type { Admission } from '#application/render/engine-run.js';
import { sandboxModel, type ImageModel } from '#platform/image-models.js';
import { createLogger } from '#platform/logger.js';
import type { ModelPlaces } from '#render-queue/model-places.js';
import { RemoteModel } from './remote-model.js';

const declared: ImageModel = { ...sandboxModel, id: 'gpt', family: 'openai', concurrency: 2 };
const task = { environment: 'test', tenant: 't', jobId: 'j' } as const;
const request = {} as EngineRequest;
const restMs = 40;

/** A model whose renders end as given, and a record of its effects. */
function modelThat(
  ends: (EngineErrorClass | 'fine')[],
  { calls = 1, ...more }: { calls?: number } & Partial<ImageModel> = {},
) {
  let taken = 0;
  const seen = { rests: false, waits: 0, answered: [] as string[], leaves: [] as boolean[], asked: 0 };
  const places: ModelPlaces = {
    take: (_model, most) => {
      if (taken === most) return Promise.resolve(undefined);
      taken++;
      const leave = async (next = true) => {
        taken--;
        seen.leaves.push(next);
      };
      return Promise.resolve({ leave });
    },
    waiting: () => Promise.resolve(10),
  };
  const counts = new MemoryRateLimitStore();
  const model = new RemoteModel(
    { ...declared, ...more },
    {
      places,
      restMs,
      countCall: (name, perMinute) => counts.count(name, perMinute),
      logger: createLogger('test', 'silent'),
      observer: {
        answered: (_model, outcome) => seen.answered.push(outcome),
        waits: () => seen.waits++,
        rests: (_model, rests) => (seen.rests = rests),
      },
    },
    () =>
      Promise.resolve({
        name: 'fake',
        async render(_request: EngineRequest, context: EngineContext) {
          seen.asked++;
          for (let call = 0; call < calls; call++)
            await context.calls.begin({ step: `s${call}`, model: 'gpt', vendor: 'v' });
          const end = ends.shift() ?? 'fine';
          if (end !== 'fine') throw new EngineError(end, end);
          return { pictures: [], message: 'Made', model: 'gpt' };
        },
      }),
  );
  return { model, seen };
}

const context = (signal = new AbortController().signal): EngineContext => ({
  ...unattended(),
  signal,
  calls: recordedCalls([]),
  garmentKind: () => undefined,
  onStage: () => Promise.resolve(),
});

async function render(model: RemoteModel, resumes = false, otherwise?: Parameters<RemoteModel['admit']>[2]) {
  const admission = await model.admit(task, resumes, otherwise);
  if ('askAgainMs' in admission) return admission;
  await using admitted = admission;
  return await admitted.engine
    .render(request, context())
    .catch((error: unknown) => error instanceof EngineError && error.errorClass);
}

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('a model of a vendor', () => {
  it('takes as many renders as it has places, and sends the next one back until one has left', async () => {
    const { model, seen } = modelThat([]);
    const [first, second] = [await model.admit(task, false), await model.admit(task, false)];
    expect(await model.admit(task, false)).toEqual({ askAgainMs: expect.any(Number) });
    expect(seen.waits).toBe(1);
    await (first as Admission)[Symbol.asyncDispose]();
    expect(await model.admit(task, false)).toHaveProperty('engine');
    expect(second).toHaveProperty('engine');
  });

  it('sends back what its minute has no room for, without a place, and without waking the next one', async () => {
    const { model, seen } = modelThat([], { requests_per_minute: 2 });
    await render(model);
    await render(model);
    expect(await render(model)).toEqual({ askAgainMs: expect.any(Number) });
    expect(seen.leaves).toEqual([true, true, false]);
    // A resumed call is with the vendor already, so it is not a new call.
    expect(await model.admit(task, true)).toHaveProperty('engine');
  });

  it('counts each further call of a render, which waits in its place', async () => {
    const { model, seen } = modelThat([], { requests_per_minute: 1, calls: 2 });
    const admission = (await model.admit(task, false)) as Admission;
    const stop = new AbortController();
    const own = context(stop.signal);
    const drawing = admission.engine.render(request, own);
    await until(() => own.calls.known.length === 1);
    stop.abort(new Error('stopped'));
    await expect(drawing).rejects.toThrow();
    expect(own.calls.known).toHaveLength(1);
    expect(seen.asked).toBe(1);
  });

  it('rests after repeated trouble; then one render alone shows whether it answers again', async () => {
    const { model, seen } = modelThat(Array<'capacity'>(5).fill('capacity'));
    for (let time = 0; time < 5; time++) expect(await render(model)).toBe('capacity');
    expect([model.rests, seen.rests]).toEqual([true, true]);
    await until(() => !model.rests);
    const probe = (await model.admit(task, false)) as Admission;
    expect(model.rests).toBe(true);
    await probe.engine.render(request, context());
    await probe[Symbol.asyncDispose]();
    expect([model.rests, seen.rests]).toEqual([false, false]);
  });

  it('goes on resting when the render that looked is in trouble too, and is asked only for what it has already', async () => {
    const { model, seen } = modelThat(Array<'outcome_unknown'>(6).fill('outcome_unknown'));
    for (let time = 0; time < 5; time++) await render(model);
    await until(() => !model.rests);
    expect(await render(model)).toBe('outcome_unknown');
    expect(model.rests).toBe(true);
    expect(await render(model, true)).toMatchObject({ message: 'Made' });
    expect(seen.asked).toBe(7);
  });

  it('is not kept from being asked by refusals and wrong pictures', async () => {
    const { model } = modelThat(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? 'policy' : 'no_image')),
    );
    for (let time = 0; time < 20; time++) await render(model);
    expect(model.rests).toBe(false);
  });

  it('lets another model make the pictures where it has no capacity, and never after an unknown outcome', async () => {
    const { model } = modelThat(['capacity', 'outcome_unknown']);
    const made = { pictures: [], message: 'By another', model: 'other' };
    const otherwise = () => Promise.resolve(made);
    expect(await render(model, false, otherwise)).toBe(made);
    expect(await render(model, false, otherwise)).toBe('outcome_unknown');
  });
});
