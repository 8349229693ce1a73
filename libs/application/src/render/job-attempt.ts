import type { CommandBus } from '@nestjs/cqrs';
import type {
  EnginePicture,
  VendorAnswerKept,
  VendorCallAnswer,
  VendorCallRecord,
  VendorCalls,
} from '@atelier/engine';
import { sourceOf } from '@atelier/engine/media-mark';
import { callsOf, isUnfinished, type Job, type KnownCall, type QueuedJob } from '#domain/job/job.js';
import type { JobArtifact, JobFailureCode, JobFailurePart, Provenance } from '#domain/job/job.events.js';
import {
  answerCall,
  callEngine,
  completeStage,
  failJob,
  submitCall,
  succeedJob,
} from '#domain/job/render-job.js';
import { keptFor } from '#domain/kept-for.js';
import type { Environment } from '#domain/streams.js';
import type { Clock } from '#platform/clock.js';
import { derivedId, newId } from '#platform/ids.js';
import type { Handled, Loaded } from '../aggregate.js';
import type { CommandContext } from '../command-context.js';
import { ReportRender, TakeUpJob } from '../job/job-writes.handler.js';
import { pictureExtensions, StoreRender } from '../picture/store-picture.handler.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import type { FinishedPicture, PictureFinisher } from './finished-pictures.js';
import { answerKey } from './kept-answers.js';
import { fileAsDrawn, fileAsOrdered, orderedOutput, type Finish } from './ordered-output.js';
import { sha256Of } from './render-inputs.js';
import { rendersOf } from './render-keys.js';

/**
 * The job has ended, or another worker has taken it up. The domain refuses all further reports of this worker.
 */
export class AttemptLost extends Error {
  override readonly name = 'AttemptLost';

  constructor(
    /** False: another worker has it. */
    readonly finished: boolean,
  ) {
    super(finished ? 'the job has ended meanwhile' : 'another worker has taken the job up');
  }
}

export interface Worker {
  readonly id: string;
  readonly commands: CommandBus;
  readonly storage: ObjectStorage;
  readonly finisher: PictureFinisher;
  readonly clock: Clock;
}

/** The engine of a picture, its model if the engine has named it, and what it was drawn from. */
export type MadeBy = Pick<FinishedPicture, 'engine' | 'model' | 'images'>;

/**
 * One worker's hold on a job, from RenderStarted to the event that ends it. Every append expects the revision
 * that this worker wrote last. If the stream has moved, another writer came first: a cancel, or a worker that
 * took the job over because this one seemed dead. The domain then refuses, and the attempt is lost.
 */
export class JobAttempt implements VendorCalls {
  private pictures = 0;

  private constructor(
    private readonly worker: Worker,
    readonly environment: Environment,
    readonly job: QueuedJob,
    readonly number: number,
    readonly startedAt: Date,
    private held: Loaded<Job>,
  ) {}

  /**
   * Records that the worker takes the job up. Undefined: all attempts were used up, and the job has failed
   * instead.
   * @throws AttemptLost when another writer was faster
   */
  static async start(
    worker: Worker,
    environment: Environment,
    job: QueuedJob,
    known: Loaded<Job>,
  ): Promise<JobAttempt | undefined> {
    const at = worker.clock();
    // The command id is random, because two workers that take up the same job must not write the same event.
    const context = contextOf(worker, environment, job, `start:${job.jobId}:${newId()}`, at);
    const start = new TakeUpJob(context, job.jobId, { worker: worker.id }, known);
    const started = unlessLost(await worker.commands.execute(start));
    if (started.state.status !== 'rendering') return undefined;
    return new JobAttempt(worker, environment, job, started.state.attempt, at, started);
  }

  /** @throws AttemptLost, and the store's errors; so do `succeed` and `fail` */
  async completeStage(
    index: number,
    said: { stage: string; message: string; artifacts: JobArtifact[]; failures?: JobFailurePart[] },
  ): Promise<void> {
    await this.report(`stage-${index}`, (job, at) =>
      completeStage({ ...said, attempt: this.number, at }, job),
    );
  }

  async succeed(
    message: string,
    artifacts: JobArtifact[],
    failures: readonly JobFailurePart[] | undefined,
    provenance: Provenance,
  ): Promise<void> {
    // From an engine that names its failures, an empty list means that there were none.
    const parts = failures ? { failures: [...failures] } : {};
    await this.report('succeed', (job, at) =>
      succeedJob({ message, artifacts, ...parts, provenance, at }, job),
    );
  }

  private get calls(): readonly KnownCall[] {
    return callsOf(this.held.state);
  }

  get known(): readonly VendorCallRecord[] {
    return this.calls.map(({ answer, ...call }) => ({ ...call, ...(answer && { outcome: answer.outcome }) }));
  }

  async begin(
    asked: Pick<VendorCallRecord, 'step' | 'model'> & { vendor: string },
  ): Promise<VendorCallRecord> {
    const call = `${asked.step}.${this.calls.filter(({ step }) => step === asked.step).length + 1}`;
    const { jobId, tenant, operation } = this.job;
    const said = { call, ...asked, attempt: this.number, idempotencyKey: `${jobId}.${call}` };
    await this.report(`call-${call}`, (job, at) => callEngine({ ...said, tenant, operation, at }, job));
    return said;
  }

  async submitted(call: string, vendorRequestId: string): Promise<void> {
    await this.report(`submit-${call}`, (job, at) =>
      submitCall({ call, vendorRequestId, attempt: this.number, at }, job),
    );
  }

  /** Stores the answer before it records it, so that a call recorded as answered can be read again. */
  async answered(call: string, answer: VendorCallAnswer): Promise<void> {
    const { pictures, reading, ...facts } = answer;
    const kept = await Promise.all(
      pictures.map(async (bytes, index) => {
        const storageKey = answerKey(this.environment, { ...this.job, call }, index);
        await this.worker.storage.put(storageKey, bytes, 'application/octet-stream');
        return { storageKey, sha256: sha256Of(bytes) };
      }),
    );
    const said = {
      call,
      ...facts,
      ...(facts.outcome === 'answered' && { kept: { pictures: kept, reading } }),
    };
    await this.report(`answer-${call}`, (job, at) => answerCall({ ...said, attempt: this.number, at }, job));
  }

  /** @throws the storage's errors */
  async kept(call: string): Promise<VendorAnswerKept> {
    const kept = this.calls.find((known) => known.call === call)?.answer?.kept;
    const pictures = (kept?.pictures ?? []).map(({ storageKey }) => this.worker.storage.get(storageKey));
    return { pictures: await Promise.all(pictures), reading: kept?.reading };
  }

  async fail(code: JobFailureCode, message: string): Promise<void> {
    await this.report('fail', (job, at) => failJob({ code, message, attempt: this.number, at }, job));
  }

  /** Stores pictures that this attempt has made. @throws the errors of storage and store */
  async keep(
    pictures: readonly EnginePicture[],
    role: JobArtifact['role'],
    made: MadeBy,
  ): Promise<JobArtifact[]> {
    const artifacts: JobArtifact[] = [];
    for (const picture of pictures) artifacts.push(await this.keepOne(picture, role, made));
    return artifacts;
  }

  private async keepOne(
    picture: EnginePicture,
    role: JobArtifact['role'],
    made: MadeBy,
  ): Promise<JobArtifact> {
    const { job, number, startedAt } = this;
    const assetId = renderedAssetId(job.jobId, number, this.pictures++, startedAt);
    const { kind, label, original } = picture;
    const { environment } = this;
    const { jobId, operation, inputs } = job;
    // The photographs of a batch share pictures of their parent.
    const isResult = role === 'final' || job.childJobIds !== undefined;
    const ordered = isResult ? orderedOutput(job.request) : undefined;
    const facts = { ...made, original, assetId, environment, jobId, operation, inputs, startedAt };
    const finish: Finish = (bytes, contentType) =>
      this.worker.finisher.finish({
        ...facts,
        bytes,
        contentType,
        digitalSource: sourceOf(picture),
        maxBytes: ordered?.maxBytes,
      });
    const { bytes, contentType, width, height, encoding } = ordered
      ? await fileAsOrdered(picture, jobId, ordered, finish)
      : await fileAsDrawn(picture, jobId, finish);
    const folder = rendersOf(environment, job.tenant, job.jobId);
    const storageKey = `${folder}${assetId}.${pictureExtensions[contentType]}`;
    const asset = { assetId, storageKey, contentType, width, height, sha256: sha256Of(bytes) };
    const context = this.context(`asset-${assetId}`);
    const likeness = role === 'final' ? await this.worker.finisher.likenessOf?.(bytes) : undefined;
    const more = { ...(likeness !== undefined && { likeness }), ...keptFor(job.retainDays) };
    const stored = { ...asset, jobId: job.jobId, role, ...more };
    await this.worker.commands.execute(new StoreRender(context, bytes, stored));
    return { ...asset, kind, role, label, meta: { ...picture.meta, ...(encoding && { encoding }) } };
  }

  private async report(name: string, decide: ReportRender['data']): Promise<void> {
    const command = new ReportRender(this.context(name), this.job.jobId, decide, this.held);
    this.held = unlessLost(await this.worker.commands.execute(command));
  }

  private context(name: string): CommandContext {
    const commandId = `render:${this.job.jobId}:${this.number}:${name}`;
    return contextOf(this.worker, this.environment, this.job, commandId, this.worker.clock());
  }
}

function unlessLost(handled: Handled<Job, unknown>): Loaded<Job> {
  if (handled.kind === 'rejected') throw new AttemptLost(!isUnfinished(handled.state));
  return handled;
}

/**
 * The id of a picture of a render. It is derived and not random: if the same attempt stores the picture again,
 * the id is the same.
 */
export function renderedAssetId(jobId: string, attempt: number, index: number, startedAt: Date): string {
  return derivedId(`${jobId}/${attempt}/${index}`, startedAt.getTime());
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
