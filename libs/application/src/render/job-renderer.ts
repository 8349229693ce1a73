import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { callsOf, isUnfinished } from '#domain/job/job.js';
import { streamName } from '#domain/streams.js';
import { EngineError, type EngineStage, type ImageEngine, type RenderResult } from '@atelier/engine';
import { EventStore } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { correlated } from '#platform/correlation.js';
import { Logger } from '#platform/logger.js';
import { inSpan, type Span } from '#platform/tracing.js';
import type { RenderTask, TaskOutcome } from '#render-queue/render-queue.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { load } from '../aggregate.js';
import { jobAggregate } from '../job/job-writes.handler.js';
import { batchRoleOf, groupingStage, renderRequestOf, type BatchRole } from './batch-grouping.js';
import { Cancellations } from './cancellations.js';
import {
  renderUnlessInterrupted,
  type Interruptions,
  ImageEngines,
  inEngineSpans,
  withTestOutcome,
} from './engine-run.js';
import { PictureFinisher } from './finished-pictures.js';
import { AttemptLost, JobAttempt, type Worker } from './job-attempt.js';
import { loadInputs, loadIntactInputs, sha256Of, type RenderInputs } from './render-inputs.js';
import { afterEngineError } from './retry-policy.js';

export const RenderSettings = Symbol('RenderSettings');

export interface RenderSettings {
  /** The worker's name in RenderStarted. It contains no host name. */
  readonly workerId: string;
  /**
   * Longest time for one attempt of an engine. Default 5 minutes; 14 if the worker waits for a remote model.
   */
  readonly renderTimeoutMs?: number | undefined;
  /** Aborts after so many milliseconds. Default: by the computer's own clock. */
  readonly timeoutAfter?: (ms: number) => AbortSignal;
}

/** Vendors limit each call themselves; the queue takes a task away after 15 minutes. */
const longestWaitMs = 14 * 60 * 1_000;
const longestDrawingMs = 5 * 60 * 1_000;

const done: TaskOutcome = { kind: 'done' };

/** How long a job that another worker holds is left alone. */
const elsewhereMs = 10_000;

interface Drawing {
  readonly attempt: JobAttempt;
  readonly batch: BatchRole;
  readonly engine: ImageEngine;
}

/**
 * Renders one job: the use case behind a task of the queue. It may die at any await. RenderStarted is recorded
 * before the engine is called, so the next worker with the task starts the next attempt, and the domain ends a
 * job whose attempts are used up. If it throws, the task is tried again later.
 */
@Injectable()
export class JobRenderer {
  private readonly worker: Worker;
  private readonly logger: Logger;

  constructor(
    @Inject(RenderSettings) private readonly settings: RenderSettings,
    commands: CommandBus,
    private readonly store: EventStore,
    private readonly storage: ObjectStorage,
    private readonly engines: ImageEngines,
    private readonly cancellations: Cancellations,
    finisher: PictureFinisher,
    @Inject(Clock) clock: Clock,
    @Inject(Logger) logger: Logger,
  ) {
    this.worker = { id: settings.workerId, commands, storage, finisher, clock };
    this.logger = logger.child({ worker: settings.workerId });
  }

  /** @throws the stores' errors when they are unreachable, and an engine's errors other than EngineError */
  render(task: RenderTask, claim: AbortSignal): Promise<TaskOutcome> {
    const { environment, tenant, jobId, traceparent: parent } = task;
    const attributes = {
      'atelier.environment': environment,
      'atelier.tenant': tenant,
      'atelier.job_id': jobId,
    };
    return inSpan('render', { kind: 'consumer', parent, attributes }, async (span) => {
      const outcome = await this.renderTask(task, claim, span);
      span.set({ 'atelier.outcome': outcome.kind });
      return outcome;
    });
  }

  private async renderTask(task: RenderTask, claim: AbortSignal, span: Span): Promise<TaskOutcome> {
    const stream = streamName(task.environment, 'job', task.jobId);
    const cancel = this.cancellations.watch(stream);
    try {
      const known = await load(this.store, stream, jobAggregate);
      if (known.state.status === 'unqueued') return this.drop(task, 'the log does not have its job');
      if (!isUnfinished(known.state)) return done;

      const { job } = known.state;
      const batch = await batchRoleOf(this.store, task.environment, job);
      if (!batch) return this.drop(task, 'its batch is not grouped');
      // The rest is up to its photographs.
      if (batch.kind === 'parent' && batch.grouped) return done;
      const admission = await this.engines.admit(task, job, callsOf(known.state));
      // Nothing has begun: waiting for a model uses up no attempt and no place of a worker.
      if ('askAgainMs' in admission) return { kind: 'retry', afterMs: admission.askAgainMs };
      await using admitted = admission;
      // Loaded before the attempt begins, so that an unreachable storage does not use up attempts.
      const loading = batch.kind === 'parent' ? loadIntactInputs : loadInputs;
      const inputs = await loading(this.storage, job.inputs);
      claim.throwIfAborted();
      const attempt = await JobAttempt.start(this.worker, task.environment, job, known);
      if (!attempt) return done;
      span.set({ 'atelier.operation': job.operation, 'atelier.attempt': attempt.number });
      const drawing = { attempt, batch, engine: admitted.engine };
      const run = () => this.run(drawing, inputs, cancel.signal, claim);
      return await correlated({ requestId: job.requestId }, run);
    } catch (error) {
      if (!(error instanceof AttemptLost)) throw error;
      this.logger.info({ jobId: task.jobId, because: error.message }, 'render given up');
      return error.finished ? done : { kind: 'retry', afterMs: elsewhereMs };
    } finally {
      cancel.release();
    }
  }

  /**
   * Drops a task whose cause is missing from the log. A task always comes after its event, so the log was
   * restored to an older state. When the event comes again, so does the task. Until then no attempt can help,
   * and a photograph's task would keep the reconciler from its batch.
   */
  private drop({ jobId }: RenderTask, because: string): TaskOutcome {
    this.logger.warn(
      { jobId, because },
      'a task was dropped: the log was restored without the event that asked for it',
    );
    return done;
  }

  private async run(
    drawing: Drawing,
    inputs: RenderInputs,
    cancelled: AbortSignal,
    claim: AbortSignal,
  ): Promise<TaskOutcome> {
    const { attempt } = drawing;
    const { timeoutAfter = (ms: number) => AbortSignal.timeout(ms) } = this.settings;
    const { renderTimeoutMs = attempt.job.remote ? longestWaitMs : longestDrawingMs } = this.settings;
    const timeout = timeoutAfter(renderTimeoutMs);
    const interruptions = { cancelled, claim, timeout };
    try {
      if (inputs.kind === 'broken') throw inputs.error;
      await this.draw(drawing, inputs.images, interruptions);
      return done;
    } catch (error) {
      if (error instanceof AttemptLost) throw error;
      if (cancelled.aborted) return done;
      if (claim.aborted) return { kind: 'retry', afterMs: 0 };
      return this.afterError(attempt, timeout.aborted ? tookTooLong() : error);
    }
  }

  private async draw(
    { attempt, batch, engine: chosen }: Drawing,
    images: Extract<RenderInputs, { kind: 'loaded' }>['images'],
    interruptions: Interruptions,
  ): Promise<void> {
    const { job, environment } = attempt;
    const engine = withTestOutcome(chosen, job, attempt.number);
    const startedAt = performance.now();
    let stages = 0;
    const onStage = async ({ stage, message, pictures: shown }: EngineStage) => {
      const made = { engine: engine.name, model: undefined, images };
      const artifacts = await attempt.keep(shown, 'intermediate', made);
      await attempt.completeStage(stages++, { stage, message, artifacts });
    };
    const request = renderRequestOf(job, batch, { inputs: images, testMark: environment === 'test' });
    const result = await inEngineSpans(engine.name, onStage, (tracedStage) =>
      renderUnlessInterrupted(engine, request, attempt, tracedStage, interruptions),
    );
    // The shared pictures of a batch count as the photograph's own. A batch may share none.
    const shared = batch.kind === 'child' ? batch.shared : [];
    if (result.pictures.length + shared.length === 0 && batch.kind !== 'parent')
      throw nothingDrawn(result.failures);

    const made = { engine: engine.name, model: result.model };
    if (batch.kind === 'parent') {
      const artifacts = await attempt.keep(result.pictures, 'intermediate', { ...made, images });
      const { message, failures = [] } = result;
      const parts = failures.length > 0 && { failures: [...failures] };
      await attempt.completeStage(stages, { stage: groupingStage, message, artifacts, ...parts });
      return;
    }
    const own = await attempt.keep(result.pictures, 'final', { ...made, images });
    await attempt.succeed(result.message, [...own, ...shared], result.failures, {
      ...made,
      seed: job.seed,
      attempt: attempt.number,
      renderMs: Math.round(performance.now() - startedAt),
      inputHashes: images.map(({ bytes }) => sha256Of(bytes)),
      ...(result.vendorRequestIds && { vendorRequestIds: [...result.vendorRequestIds] }),
    });
  }

  private async afterError(attempt: JobAttempt, error: unknown): Promise<TaskOutcome> {
    // Probably not the request's fault, so another attempt may succeed.
    if (!(error instanceof EngineError)) throw error;
    const next = afterEngineError(
      error,
      attempt.number,
      attempt.job.request['on_technical_failure'] === 'retry',
    );
    const { jobId, tenant } = attempt.job;
    const facts = { jobId, tenant, attempt: attempt.number, errorClass: error.errorClass, err: error };
    if (next.kind === 'retry') {
      this.logger.warn({ ...facts, afterMs: next.afterMs }, 'render will be tried again');
      return next;
    }
    await attempt.fail(next.code, error.message);
    this.logger[next.alarm ? 'error' : 'warn'](facts, 'render failed');
    return done;
  }
}

/** Arms that gave a reason for their failure are not tried again. */
function nothingDrawn(failures: RenderResult['failures']): EngineError {
  if (!failures?.length) return new EngineError('no_image', 'The engine returned no picture.');
  const why = failures.map(({ message }) => message).join(' ');
  return new EngineError('bad_input', `${why} Your credits were refunded.`);
}

/**
 * An attempt that takes too long is `outcome_unknown`, not `capacity`. The engine may still be rendering, or
 * billing, so another call could pay twice for a render that would probably be too slow again.
 */
function tookTooLong(): EngineError {
  return new EngineError('outcome_unknown', 'The render took too long. Your credits were refunded.');
}
