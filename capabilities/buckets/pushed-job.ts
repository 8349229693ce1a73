import { readForwards } from '#application/aggregate.js';
import { rendersOf } from '#application/render/render-keys.js';
import type { JobArtifact, JobEvent } from '#domain/job/job.events.js';
import { decode } from '#domain/stored-events.js';
import { streamName } from '#domain/streams.js';
import type { EventMetadata, EventStore } from '#event-store/event-store.js';
import type { ConnectedBucket } from './bucket.js';
import type { PushTask } from './push.task.js';

type JobOfTenant = Pick<PushTask, 'environment' | 'tenant' | 'jobId'>;

/** What a job has for the bucket of its tenant, as its own stream has it now. */
export interface PushedJob {
  readonly operation: string;
  /** When it succeeded, ISO 8601. */
  readonly endedAt: string;
  readonly pictures: readonly JobArtifact[];
  /** Persons have erased these: their copies are deleted. */
  readonly erased: readonly JobArtifact[];
  /** Grows with each event of the job. */
  readonly revision: bigint;
}

/**
 * Clocks of processes may disagree. A job that ended before its bucket was connected by no more than this is pushed all
 * the same.
 */
const clockSkewMs = 60_000;

/** Whether what was recorded then is for this bucket. */
export function isSince({ connectedAt }: ConnectedBucket, recordedAt: string): boolean {
  return Date.parse(recordedAt) >= Date.parse(connectedAt) - clockSkewMs;
}

/**
 * An erasure that a key or an operator ordered reaches the bucket. Pictures whose time is over, and those of a closed
 * tenant, stay in the bucket: it is the tenant's own.
 */
export function isErasedByPerson({ actor }: EventMetadata): boolean {
  return /^(?:key:|operator)/.test(actor);
}

type Succeeded = Extract<JobEvent, { type: 'JobSucceeded' }>['data'];

/** The job's own final pictures: the parent of a batch also names those of its photographs. */
function picturesOf({ environment, tenant, jobId }: JobOfTenant, { artifacts }: Succeeded): JobArtifact[] {
  const own = rendersOf(environment, tenant, jobId);
  return artifacts.filter(({ role, storageKey }) => role === 'final' && storageKey.startsWith(own));
}

export function hasPictures(job: JobOfTenant, succeeded: Succeeded): boolean {
  return picturesOf(job, succeeded).length > 0;
}

/** Undefined: the tenant has no such job that succeeded. */
export async function pushedJob(store: EventStore, job: JobOfTenant): Promise<PushedJob | undefined> {
  let ended: { readonly data: Succeeded; readonly at: string } | undefined;
  let operation: string | undefined;
  let revision = -1n;
  const gone = new Set<string>();
  const erased = new Set<string>();
  for await (const page of readForwards(store, streamName(job.environment, 'job', job.jobId), 0n))
    for (const recorded of page) {
      // The events of a job's stream.
      const event = decode(recorded) as JobEvent;
      const { metadata } = recorded;
      revision = recorded.revision;
      if (event.type === 'JobQueued' && event.data.tenant === job.tenant) operation = event.data.operation;
      if (event.type === 'JobSucceeded') ended = { data: event.data, at: metadata.recordedAt };
      if (event.type !== 'JobErased') continue;
      for (const id of event.data.assetIds) (isErasedByPerson(metadata) ? erased : gone).add(id);
    }
  if (operation === undefined || !ended) return undefined;
  const all = picturesOf(job, ended.data);
  return {
    operation,
    endedAt: ended.at,
    revision,
    pictures: all.filter(({ assetId }) => !gone.has(assetId) && !erased.has(assetId)),
    erased: all.filter(({ assetId }) => erased.has(assetId)),
  };
}

/** The key of a picture below that of its job. */
export function fileOf({ assetId, storageKey }: JobArtifact): string {
  return `${assetId}.${storageKey.split('.').at(-1)}`;
}
