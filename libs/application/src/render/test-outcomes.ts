import { setTimeout as sleep } from 'node:timers/promises';
import type { QueuedJob } from '#domain/job/job.js';
import type { TestOutcome } from '#domain/job/job.events.js';
import {
  EngineError,
  type EngineRequest,
  type ImageEngine,
  type EngineContext,
  type PartFailure,
  type RenderResult,
} from '@atelier/engine';

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
