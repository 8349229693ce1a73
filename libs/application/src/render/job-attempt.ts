import type { Decision } from '#domain/decision.js';
import { isUnfinished, type Job, type QueuedJob } from '#domain/job/job.js';
import type {
  JobEvent,
  JobArtifact,
  JobFailureCode,
  JobFailurePart,
  Provenance,
} from '#domain/job/job.events.js';
import {
  completeStage,
  failJob,
  startRender,
  succeedJob,
  type RenderRejection,
} from '#domain/job/render-job.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Clock } from '#platform/clock.js';
import { newId } from '#platform/ids.js';
import { handle, type Loaded } from '../aggregate.js';
import type { CommandContext } from '../command-context.js';
import { jobAggregate } from './job-aggregate.js';

/** The job has ended, or another worker has taken it up: whatever this worker still has to say is refused. */
export class AttemptLost extends Error {
  override readonly name = 'AttemptLost';

  constructor(
    /** False: another worker is at it. */
    readonly finished: boolean,
  ) {
    super(finished ? 'the job has ended meanwhile' : 'another worker has taken the job up');
  }
}

export interface Worker {
  readonly id: string;
  readonly store: EventStore;
  readonly clock: Clock;
}

/**
 * One worker's hold on a job, from RenderStarted to the event that ends it. Every append expects the revision that
 * this worker wrote last. When it is another one, another writer came first: a cancel, or a worker that took the job
 * over because this one was taken for dead. The domain then refuses, and the attempt is lost.
 */
export class JobAttempt {
  private known: Loaded<Job>;

  private constructor(
    private readonly worker: Worker,
    readonly environment: Environment,
    readonly job: QueuedJob,
    readonly number: number,
    readonly startedAt: Date,
    known: Loaded<Job>,
  ) {
    this.known = known;
  }

  /**
   * Records that the worker takes the job up. Undefined: its attempts were used up, and it has failed instead.
   * @throws AttemptLost when another writer was faster
   */
  static async start(
    worker: Worker,
    environment: Environment,
    job: QueuedJob,
    known: Loaded<Job>,
  ): Promise<JobAttempt | undefined> {
    const at = worker.clock();
    // Two workers that take the same job up must not write the same event, so the command's id is drawn.
    const context = contextOf(worker, environment, job, `start:${job.jobId}:${newId()}`, at);
    let decided = false;
    const takeUp = (state: Job): Decision<JobEvent, RenderRejection> => {
      // Asked again: another worker has written meanwhile, if only a stage, and is at it.
      if (decided && isUnfinished(state))
        return { kind: 'rejected', rejection: { code: 'NOT_YOUR_ATTEMPT' } };
      decided = true;
      return startRender({ worker: worker.id, at: at.toISOString() }, state);
    };
    const stream = streamName(environment, 'job', job.jobId);
    const started = await handle(worker.store, stream, jobAggregate, takeUp, context, known);
    if (started.kind === 'rejected') throw new AttemptLost(!isUnfinished(started.state));
    if (started.state.status !== 'rendering') return undefined;
    return new JobAttempt(worker, environment, job, started.state.attempt, at, started);
  }

  /** @throws AttemptLost, and what the store throws; so do the other two. */
  async completeStage(
    index: number,
    stage: { stage: string; message: string; artifacts: JobArtifact[]; failures?: JobFailurePart[] },
  ) {
    const attempt = this.number;
    await this.append(`stage-${index}`, (at, state) => completeStage({ ...stage, attempt, at }, state));
  }

  async succeed(
    message: string,
    artifacts: JobArtifact[],
    failures: readonly JobFailurePart[] | undefined,
    provenance: Provenance,
  ): Promise<void> {
    // An engine that names its failures says with an empty list that there were none.
    const parts = failures ? { failures: [...failures] } : {};
    await this.append('succeed', (at, state) =>
      succeedJob({ message, artifacts, ...parts, provenance, at }, state),
    );
  }

  async fail(code: JobFailureCode, message: string): Promise<void> {
    const attempt = this.number;
    await this.append('fail', (at, state) => failJob({ code, message, attempt, at }, state));
  }

  /** The context of a command that this attempt gives; `name` tells its commands apart. */
  context(name: string, at = this.worker.clock()): CommandContext {
    const commandId = `render:${this.job.jobId}:${this.number}:${name}`;
    return contextOf(this.worker, this.environment, this.job, commandId, at);
  }

  private async append(
    name: string,
    decide: (at: string, state: Job) => Decision<JobEvent, RenderRejection>,
  ): Promise<void> {
    const at = this.worker.clock();
    const stream = streamName(this.environment, 'job', this.job.jobId);
    const appended = await handle(
      this.worker.store,
      stream,
      jobAggregate,
      (state) => decide(at.toISOString(), state),
      this.context(name, at),
      this.known,
    );
    if (appended.kind === 'rejected') throw new AttemptLost(!isUnfinished(appended.state));
    this.known = appended;
  }
}

function contextOf(
  worker: Worker,
  environment: Environment,
  job: QueuedJob,
  commandId: string,
  at: Date,
): CommandContext {
  const { tenant, requestId } = job;
  return { environment, tenant, commandId, requestId, actor: `worker:${worker.id}`, at };
}
