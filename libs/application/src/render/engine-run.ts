import {
  type ImageEngine,
  type EngineStage,
  type EngineRequest,
  type VendorCalls,
  type RenderResult,
  EngineError,
  type EngineContext,
  type PartFailure,
} from '@atelier/engine';
import { categoryById } from '#domain/garment/garment-categories.js';
import type { KnownCall, QueuedJob } from '#domain/job/job.js';
import { inSpan, openSpan, under } from '#platform/tracing.js';
import type { RenderTask } from '#render-queue/render-queue.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestOutcome } from '#domain/job/job.events.js';

/** A render that may begin: its engine, and until it is disposed of, what it occupies at its model. */
export interface Admission extends AsyncDisposable {
  readonly engine: ImageEngine;
}

/** The model has no room at the moment, or rests. */
export interface NotYet {
  readonly askAgainMs: number;
}

/** What an engine is chosen by. */
export type ChosenFor = Pick<QueuedJob, 'imageModel' | 'operation' | 'tenant' | 'request' | 'at'>;

/** The engines of this installation. */
export abstract class ImageEngines {
  /**
   * The engine of the image model that was chosen for a job. For a model that was there at dispatch and is no longer, it
   * is one that refuses as `misconfigured`.
   * @param calls what was asked of vendors for the job so far
   */
  abstract admit(task: RenderTask, job: ChosenFor, calls: readonly KnownCall[]): Promise<Admission | NotYet>;
}

/** A render that occupies nothing. */
export function freely(engine: ImageEngine): Admission {
  return { engine, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** Why a running render has to end early. The first that applies decides. */
export interface Interruptions {
  readonly cancelled: AbortSignal;
  /** The worker stops, or its claim on the queue's task has lapsed. */
  readonly claim: AbortSignal;
  readonly timeout: AbortSignal;
}

/** An engine that does not obey its signal is left behind: what it still reports is not listened to. */
export async function renderUnlessInterrupted(
  engine: ImageEngine,
  request: EngineRequest,
  calls: VendorCalls,
  onStage: (stage: EngineStage) => Promise<void>,
  interruptions: Interruptions,
): Promise<RenderResult> {
  const over = new AbortController();
  const { cancelled, claim, timeout } = interruptions;
  const signal = AbortSignal.any([cancelled, claim, timeout, over.signal]);
  signal.throwIfAborted();
  const interrupted = new Promise<never>((_resolve, reject) => {
    // All signals here are aborted with errors.
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  const rendering = engine.render(request, {
    signal,
    garmentKind: categoryById,
    calls,
    abandoned: AbortSignal.any([cancelled, timeout]),
    onStage: async (stage) => {
      signal.throwIfAborted();
      await onStage(stage);
    },
  });
  try {
    return await Promise.race([rendering, interrupted]);
  } finally {
    over.abort(new Error('the render is over'));
    // Both have had their say; what comes of the loser of the race no longer matters.
    rendering.catch(() => undefined);
    interrupted.catch(() => undefined);
  }
}

type OnStage = (stage: EngineStage) => Promise<void>;

/**
 * Runs an engine in a span, with a span below it for each stage: an engine tells of a stage when it is done, so it
 * has lasted since the one before. What a stage brings about, its pictures and its event, belongs to its span.
 */
export function inEngineSpans(
  engine: string,
  onStage: OnStage,
  run: (onStage: OnStage) => Promise<RenderResult>,
): Promise<RenderResult> {
  return inSpan(
    'engine',
    { attributes: { 'atelier.engine': engine } },
    async ({ traceparent: parent, set }) => {
      let since = performance.now();
      const tracedStage: OnStage = async (stage) => {
        const attributes = { 'atelier.stage': stage.stage };
        const span = openSpan('stage', { parent, startedAt: since, attributes });
        try {
          await under(span, () => onStage(stage));
          span.end();
        } catch (error) {
          span.end(error);
          throw error;
        }
        since = performance.now();
      };
      try {
        return await run(tracedStage);
      } catch (error) {
        if (error instanceof EngineError) set({ 'atelier.error_class': error.errorClass });
        throw error;
      }
    },
  );
}

/** How long a render that is to take too long is waited for: long enough to be seen, short enough for a test. */
const patienceMs = 3_000;

const partFailure: PartFailure = {
  arm: 'test',
  code: 'TEST_OUTCOME',
  message: 'This part gave nothing, as the test asked for.',
};

/**
 * The engine as the job's test wants it. What it does is an engine's doing, so that all the rest, retries, refunds
 * and the timeline, is what a live job would go through. The parent of a batch hands the outcome to its jobs.
 * @param attempt counts from 1
 */
export function withTestOutcome(engine: ImageEngine, job: QueuedJob, attempt: number): ImageEngine {
  const { testOutcome, childJobIds } = job;
  if (testOutcome === undefined || childJobIds) return engine;
  return {
    name: engine.name,
    render: (request, context) => play(testOutcome, { engine, attempt, request, context }),
  };
}

interface Scene {
  readonly engine: ImageEngine;
  readonly attempt: number;
  readonly request: EngineRequest;
  readonly context: EngineContext;
}

async function play(outcome: TestOutcome, scene: Scene): Promise<RenderResult> {
  const { engine, attempt, request, context } = scene;
  switch (outcome) {
    case 'policy':
      throw new EngineError(
        'policy',
        'Refused by policy, as the test asked for. Your credits were refunded.',
      );
    case 'no_image':
      throw new EngineError('no_image', 'No image came, as the test asked for. Your credits were refunded.');
    case 'timeout':
      await sleep(patienceMs, undefined, { signal: context.signal });
      throw new EngineError('outcome_unknown', 'The render took too long. Your credits were refunded.');
    case 'capacity_then_success':
      if (attempt === 1) throw new EngineError('capacity', 'Busy, as the test asked for.', 1_000);
      return engine.render(request, context);
    case 'crash':
      // No EngineError: the worker gives the task back as if it had died, and it is taken up again.
      if (attempt === 1) throw new Error('the worker crashed, as the test asked for');
      return engine.render(request, context);
    case 'partial': {
      const body = { ...request.body, test_partial: true };
      const result = await engine.render({ ...request, body }, context);
      // An engine that knows no parts has none to leave out.
      return result.failures?.length ? result : { ...result, failures: [partFailure] };
    }
    default:
      return outcome satisfies never;
  }
}
