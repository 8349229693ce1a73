import { resourceOf } from '../catalog/catalog.js';
import { accept, reject, type Decision } from '../decision.js';
import type { JobArtifact, JobEvent, JobFailurePart } from './job.events.js';
import { isUnfinished, type Job } from './job.js';
import { ended } from './render-job.js';

export type BatchPart =
  | { readonly outcome: 'unfinished' }
  | {
      readonly outcome: 'succeeded';
      readonly artifacts: readonly JobArtifact[];
      readonly failures: readonly JobFailurePart[];
    }
  | { readonly outcome: 'failed'; readonly code: string; readonly message: string };

export interface ConcludeBatch {
  /** In the order of the photographs. */
  readonly parts: readonly BatchPart[];
  /** Pictures that several photographs have in common, extracted once. */
  readonly shared: readonly JobArtifact[];
  /** Common parts that could not be extracted. Each photograph then provided them by itself. */
  readonly sharedFailures?: readonly JobFailurePart[];
  readonly at: string;
}

export type ConcludeRejection = { readonly code: 'JOB_NOT_FOUND' | 'JOB_FINISHED' };

/**
 * Ends the parent of a batch when all its photographs have ended. It succeeds if at least one photograph
 * succeeded. The end belongs to no attempt, because the parent's own render ended with the grouping, or never
 * took place.
 */
export function concludeBatch(command: ConcludeBatch, job: Job): Decision<JobEvent, ConcludeRejection> {
  if (!isUnfinished(job)) {
    const known = job.status !== 'unqueued' && job.status !== 'voided';
    return reject({ code: known ? 'JOB_FINISHED' : 'JOB_NOT_FOUND' });
  }
  const { parts, shared, sharedFailures = [], at } = command;
  if (parts.some(({ outcome }) => outcome === 'unfinished')) return accept();
  const succeeded = parts.filter((part) => part.outcome === 'succeeded');
  if (succeeded.length === 0) {
    const message = 'None of the photographs gave a result. Your credits were refunded.';
    return accept({
      type: 'JobFailed',
      data: { code: 'ALL_PARTS_FAILED', message, attempt: job.attempt, at, ...ended(job) },
    });
  }
  const failures = [...sharedFailures.map(placedIn('grouping')), ...parts.flatMap(failuresOf)];
  return accept({
    type: 'JobSucceeded',
    data: {
      message: `${succeeded.length} of ${parts.length} photographs gave a result.`,
      artifacts: garmentsFirst(onceEach([...succeeded.flatMap(({ artifacts }) => artifacts), ...shared])),
      failures,
      provenance: null,
      at,
      ...ended(job),
    },
  });
}

/**
 * The state of a photograph, from its own stream. A photograph that was fenced off has ended: it will never be
 * queued.
 */
export function batchPartOf(events: readonly JobEvent[]): BatchPart {
  // The cost of a call may be recorded after the end, and pictures may have been erased.
  const last = events.findLast(({ type }) => type !== 'EngineAnswered' && type !== 'JobErased');
  switch (last?.type) {
    case 'JobSucceeded': {
      const erased = events.flatMap((event) => (event.type === 'JobErased' ? event.data.assetIds : []));
      const artifacts = last.data.artifacts.filter(({ assetId }) => !erased.includes(assetId));
      return { outcome: 'succeeded', artifacts, failures: last.data.failures ?? [] };
    }
    case 'JobFailed':
      return { outcome: 'failed', code: last.data.code, message: last.data.message };
    case 'JobCancelled':
      return { outcome: 'failed', code: 'CANCELLED', message: last.data.reason };
    case 'JobVoided': {
      const message = 'The photograph was given up before it could be queued. Its credits were refunded.';
      return { outcome: 'failed', code: 'NEVER_QUEUED', message };
    }
    case 'JobQueued':
    case 'RenderStarted':
    case 'StageCompleted':
    case 'EngineCalled':
    case 'EngineSubmitted':
    case 'EngineAnswered':
    case 'JobErased':
    case undefined:
      return { outcome: 'unfinished' };
    default:
      return last satisfies never;
  }
}

function failuresOf(part: BatchPart, index: number): JobFailurePart[] {
  const photo = `photos[${index}]`;
  switch (part.outcome) {
    case 'succeeded':
      return part.failures.map(placedIn(photo));
    case 'failed':
      return [{ arm: photo, code: part.code, message: part.message }];
    case 'unfinished':
      return [];
    default:
      return part satisfies never;
  }
}

function placedIn(place: string): (failure: JobFailurePart) => JobFailurePart {
  return (failure) => ({ ...failure, arm: `${place}.${failure.arm}` });
}

/**
 * The first picture represents the batch in the gallery, so it shows a garment, and not the person or the
 * place.
 */
function garmentsFirst(artifacts: readonly JobArtifact[]): JobArtifact[] {
  const isGarment = ({ kind }: JobArtifact) => resourceOf(kind) === 'garments';
  return [...artifacts.filter(isGarment), ...artifacts.filter((artifact) => !isGarment(artifact))];
}

/** Photographs that share a picture each name it. */
function onceEach(artifacts: readonly JobArtifact[]): JobArtifact[] {
  const final = artifacts.map((artifact) => ({ ...artifact, role: 'final' as const }));
  return final.filter(({ assetId }, index) => final.findIndex((one) => one.assetId === assetId) === index);
}
