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

/** A render that may begin: its engine, and the place at its model that it holds until it is disposed of. */
export interface Admission extends AsyncDisposable {
  readonly engine: ImageEngine;
}

/** The model has no room at the moment, or is paused. */
export interface NotYet {
  readonly askAgainMs: number;
}

/** The facts that decide on an engine. */
export type ChosenFor = Pick<QueuedJob, 'imageModel' | 'operation' | 'tenant' | 'request' | 'at'>;

export abstract class ImageEngines {
  /**
   * The engine of the image model that was chosen for a job. If the model is no longer installed, the engine
   * refuses as `misconfigured`.
   * @param calls the vendor calls of the job so far
   */
  abstract admit(task: RenderTask, job: ChosenFor, calls: readonly KnownCall[]): Promise<Admission | NotYet>;
}

/** A render that holds no place. */
export function freely(engine: ImageEngine): Admission {
  return { engine, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** The reasons for which a running render ends early. The first one to apply decides. */
export interface Interruptions {
  readonly cancelled: AbortSignal;
  /** The worker stops, or its claim on the queue's task has lapsed. */
  readonly claim: AbortSignal;
  readonly timeout: AbortSignal;
}

/** An engine that ignores its signal is abandoned: its later reports are dropped. */
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
    // The race is decided, so a late error of either side must not become an unhandled rejection.
    rendering.catch(() => undefined);
    interrupted.catch(() => undefined);
  }
}

type OnStage = (stage: EngineStage) => Promise<void>;

/**
 * Runs an engine in a span, with a child span for each stage. An engine reports a stage when it is done, so the
 * stage's span starts at the report before. Storing a stage's pictures and event counts towards its span.
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

/** How long a forced timeout waits: long enough to be seen, short enough for a test. */
const patienceMs = 3_000;

const partFailure: PartFailure = {
  arm: 'test',
  code: 'TEST_OUTCOME',
  message: 'This part gave nothing, as the test asked for.',
};

/**
 * Wraps the engine so that it behaves as the job's test outcome requires. Everything else, such as retries,
 * refunds and the timeline, runs as for a live job. The parent of a batch passes the outcome to its jobs.
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
      // Not an EngineError: the worker gives the task back as if it had died, and the task is taken up again.
      if (attempt === 1) throw new Error('the worker crashed, as the test asked for');
      return engine.render(request, context);
    case 'partial': {
      const body = { ...request.body, test_partial: true };
      const result = await engine.render({ ...request, body }, context);
      // An engine without parts has none to leave out.
      return result.failures?.length ? result : { ...result, failures: [partFailure] };
    }
    default:
      return outcome satisfies never;
  }
}
