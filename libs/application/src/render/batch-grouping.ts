import type { EventOfType } from '#domain/events.js';
import type { JobArtifact, JobEvent } from '#domain/job/job.events.js';
import type { QueuedJob } from '#domain/job/job.js';
import { decode } from '#domain/stored-events.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { EngineImage, EngineRequest } from '@atelier/engine';
import { categoryById } from '#domain/garment/garment-categories.js';
import { workflowOf } from '#workflows/workflows.js';
import { readForwards } from '../aggregate.js';

/** This stage ends the render of a batch's parent. Afterwards its photographs are rendered. */
export const groupingStage = 'grouping';

/**
 * A job's role in a batch, for its worker. A `child` may only be rendered once its parent is grouped; `shared`
 * are the pictures that the parent has extracted for it.
 */
export type BatchRole =
  | { readonly kind: 'single' }
  | { readonly kind: 'parent'; readonly grouped: boolean }
  | { readonly kind: 'child'; readonly shared: readonly JobArtifact[] };

/** @returns undefined for a photograph whose batch is not grouped. @throws the store's errors */
export async function batchRoleOf(
  store: EventStore,
  environment: Environment,
  job: QueuedJob,
): Promise<BatchRole | undefined> {
  if (job.childJobIds) {
    const grouping = groupingOf(await jobEvents(store, environment, job.jobId));
    return { kind: 'parent', grouped: grouping !== undefined };
  }
  if (job.parentJobId === null) return { kind: 'single' };
  const grouping = groupingOf(await jobEvents(store, environment, job.parentJobId));
  return grouping && { kind: 'child', shared: sharedWith(job.childIndex, grouping) };
}

/** The whole stream of a job; empty if the job does not exist. */
export async function jobEvents(
  store: EventStore,
  environment: Environment,
  jobId: string,
): Promise<JobEvent[]> {
  const events: JobEvent[] = [];
  for await (const page of readForwards(store, streamName(environment, 'job', jobId), 0n)) {
    // Safe cast: the stream of a job holds only events of jobs.
    events.push(...page.map((recorded) => decode(recorded) as JobEvent));
  }
  return events;
}

export function groupingOf(parent: readonly JobEvent[]): readonly JobArtifact[] | undefined {
  return groupingStageOf(parent)?.artifacts;
}

/** If there are two, the first counts. */
export function groupingStageOf(
  parent: readonly JobEvent[],
): EventOfType<'StageCompleted'>['data'] | undefined {
  for (const event of parent) {
    if (event.type === 'StageCompleted' && event.data.stage === groupingStage) return event.data;
  }
  return undefined;
}

/** The people and places among a grouping's pictures; only the sheet that explains the grouping is left out. */
export function sharedOf(grouping: readonly JobArtifact[]): readonly JobArtifact[] {
  return grouping.filter(({ meta }) => meta['axis'] === 'person' || meta['axis'] === 'location');
}

function sharedWith(childIndex: number | undefined, grouping: readonly JobArtifact[]): JobArtifact[] {
  return sharedOf(grouping)
    .filter(({ meta: { member_indices: members } }) => Array.isArray(members) && members.includes(childIndex))
    .map((artifact) => ({ ...artifact, role: 'final' }));
}

/**
 * The request to the engine. From a batch's photograph it leaves out the parts that the parent has extracted.
 */
export function renderRequestOf(
  job: QueuedJob,
  batch: BatchRole,
  rest: { readonly inputs: readonly EngineImage[]; readonly testMark: boolean },
): EngineRequest {
  const { operation: workflow, request, seed, displayName } = job;
  const arms = batch.kind === 'child' ? armsBeside(batch.shared) : undefined;
  const body = arms ? { ...request, arms } : request;
  const { garment_category_public_id: categoryId } = request;
  const category = typeof categoryId === 'string' ? categoryById(categoryId) : undefined;
  const facts = { body: request, pictures: job.inputs, category, displayName, arms };
  return { workflow, body, brief: () => workflowOf(workflow).brief(facts), seed, displayName, ...rest };
}

function armsBeside(shared: readonly JobArtifact[]): string[] {
  const axes = new Set(shared.map(({ meta }) => meta['axis']));
  return [
    'garment',
    ...(axes.has('person') ? [] : ['person']),
    ...(axes.has('location') ? [] : ['background']),
    'recipe',
  ];
}
