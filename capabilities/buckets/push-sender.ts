import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { erasedText } from '#domain/erased.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import type { Environment } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { Logger } from '#platform/logger.js';
import { chanceOf, pauseAfter } from '#platform/retry-schedule.js';
import type { TaskOutcome } from '#render-queue/render-queue.js';
import { ObjectNotFound, ObjectStorage } from '#storage/object-storage.js';
import type { ConnectedBucket } from './bucket.js';
import { bucketOf } from './manage-buckets.js';
import type { PushTask } from './push.task.js';
import { fileOf, isSince, pushedJob, type PushedJob } from './pushed-job.js';
import { Pushes, type Push } from './pushes.js';
import { BucketFailure, failureOf, TenantBuckets, type OpenBucket } from './tenant-buckets.js';

/** For all pictures of a job. The queue hands a task out again after a quarter of an hour. */
const attemptMs = 10 * 60_000;

/**
 * Makes one attempt to push a job's pictures for each call. Keys derive from the job, so an attempt that was killed is
 * made again and writes the same objects. What is pushed, and where to, comes from the log alone: a row that somebody
 * altered in the database can only have a job pushed again.
 */
@Injectable()
export class PushSender {
  constructor(
    private readonly store: EventStore,
    private readonly pushes: Pushes,
    private readonly buckets: TenantBuckets,
    private readonly storage: ObjectStorage,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** @throws what the store, the storage and the database throw; the task is then handed out again */
  async send({ environment, jobId, round }: PushTask, claim: AbortSignal): Promise<TaskOutcome> {
    const push = await this.pushes.find(environment, jobId);
    // It has ended. Or it began anew meanwhile, which made another task.
    if (push?.status !== 'waiting' || push.round !== round) return { kind: 'done' };
    const waitMs = (push.nextAttemptAt?.getTime() ?? 0) - this.clock().getTime();
    if (waitMs > 0) return { kind: 'retry', afterMs: waitMs };
    const failure = await failureOf(() => this.attempt(environment, push, claim));
    // This process stops, or was taken for dead. The next holder of the task makes the attempt again.
    if (failure && claim.aborted) return { kind: 'retry', afterMs: 0 };
    const now = this.clock();
    const pauseMs = failure?.mayPass ? pauseAfter(push.attempts + 1, undefined, chanceOf(jobId)) : undefined;
    const retryAt = pauseMs === undefined ? null : new Date(now.getTime() + pauseMs);
    await this.pushes.record(environment, push, now, failure && { error: failure.message, retryAt });
    if (failure && !retryAt)
      this.logger.warn(
        { environment, tenant: push.tenant, job: jobId, error: failure.message },
        'a job was not pushed',
      );
    return pauseMs === undefined ? { kind: 'done' } : { kind: 'retry', afterMs: pauseMs };
  }

  /** @throws BucketFailure */
  private async attempt(environment: Environment, push: Push, claim: AbortSignal): Promise<void> {
    const { tenant, jobId } = push;
    let job = await this.jobOf(environment, push);
    const bucket = await bucketOf(this.store, environment, tenant);
    // Its disconnection is about to remove the push.
    if (!bucket) throw new BucketFailure('the bucket was disconnected', null, false);
    const signal = AbortSignal.any([claim, AbortSignal.timeout(attemptMs)]);
    using opened = await this.buckets.open(bucket, { environment, tenant, signal });
    for (;;) {
      await this.mirror(environment, push, bucket, opened, job);
      // An erasure may have come while the pictures were on their way. It queues a push as well, which may have been
      // faster than this one.
      const now = await this.jobOf(environment, { tenant, jobId });
      if (now.revision === job.revision) return;
      job = now;
    }
  }

  private async jobOf(
    environment: Environment,
    { tenant, jobId }: Pick<Push, 'tenant' | 'jobId'>,
  ): Promise<PushedJob> {
    const job = await pushedJob(this.store, { environment, tenant, jobId });
    if (job) return job;
    throw new BucketFailure('the log has no such job of this tenant that succeeded', null, false);
  }

  /** Makes the bucket have what the job has now. The description comes last: where it is, all pictures are. */
  private async mirror(
    environment: Environment,
    { jobId }: Push,
    bucket: ConnectedBucket,
    opened: OpenBucket,
    job: PushedJob,
  ): Promise<void> {
    const folder = `${bucket.prefix}${jobId}/`;
    for (const picture of job.erased) await opened.remove(`${folder}${fileOf(picture)}`);
    if (job.pictures.length === 0) {
      if (job.erased.length > 0) await opened.remove(`${folder}job.json`);
      return;
    }
    if (!isSince(bucket, job.endedAt)) return;
    const pictures = [];
    for (const picture of job.pictures) {
      const { assetId, contentType, width, height, kind } = picture;
      const bytes = await this.bytesOf(picture);
      const file = fileOf(picture);
      await opened.put(`${folder}${file}`, bytes, contentType);
      const sha256 = digestOf(bytes);
      pictures.push({ asset_id: assetId, file, content_type: contentType, width, height, kind, sha256 });
    }
    const { operation, endedAt } = job;
    const described = { job_id: jobId, environment, operation, finished_at: endedAt, pictures };
    await opened.put(`${folder}job.json`, JSON.stringify(described, null, 2), 'application/json');
  }

  /** The bytes that the job made, and no others. @throws BucketFailure */
  private async bytesOf({ assetId, storageKey, sha256 }: JobArtifact): Promise<Buffer> {
    try {
      const bytes = await this.storage.get(storageKey);
      // The hash may be erased with the words of the job, while its pictures stay.
      if (sha256 === digestOf(bytes) || sha256 === erasedText) return bytes;
    } catch (error) {
      if (!(error instanceof ObjectNotFound)) throw error;
    }
    // They may have been erased since the job was read; the next attempt then knows.
    throw new BucketFailure(`the service does not have the bytes of picture ${assetId}`, null, true);
  }
}

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
