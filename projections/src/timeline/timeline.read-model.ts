import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';
import { TimelineRow } from './timeline.entity.js';

export const timelineReadModel: ReadModel<TimelineRow> = {
  name: 'timeline',
  version: 1,
  entity: TimelineRow,
  categories: ['job'],
  rowPerEvent: true,
  keyOf: (event) => (isShown(event) ? [event.streamId, seqOf(event)] : undefined),
  evolve: (_row, event) => timelineRow(event),
};

/** The timeline that a job's own stream gives, internal events included, in the order of `seq`. */
export function foldTimelineRows(events: readonly ProjectedEvent[]): TimelineRow[] {
  return events.map(timelineRow).filter((row) => row !== undefined);
}

/** The row of one job event, or undefined for an event that is not part of the timeline. */
export function timelineRow(event: ProjectedEvent): TimelineRow | undefined {
  const entry = entryOf(event);
  if (!entry) return undefined;
  return {
    jobId: event.streamId,
    seq: seqOf(event),
    tenant: event.metadata.tenant,
    visibility: 'public',
    artifacts: [],
    extra: {},
    createdAt: new Date(event.data.at),
    ...entry,
  };
}

type Entry = Pick<TimelineRow, 'eventType' | 'stage' | 'message'> &
  Partial<Pick<TimelineRow, 'visibility' | 'artifacts' | 'extra'>>;

function entryOf(event: ProjectedEvent): Entry | undefined {
  switch (event.type) {
    case 'JobQueued': {
      const { operation, jobType, creditsCost } = event.data;
      const extra = { operation, job_type: jobType, credits_cost: creditsCost };
      return { eventType: 'queued', stage: 'queued', message: 'Job accepted.', extra };
    }
    case 'RenderStarted': {
      const { attempt, worker } = event.data;
      return {
        eventType: 'started',
        visibility: 'internal',
        stage: 'started',
        message: `Attempt ${attempt} started.`,
        extra: { attempt, worker },
      };
    }
    case 'StageCompleted': {
      const { stage, message, artifacts } = event.data;
      return { eventType: 'stage', stage, message, artifacts };
    }
    case 'JobSucceeded': {
      const { message, artifacts, failures, provenance } = event.data;
      const extra = {
        ...(provenance && {
          engine: provenance.engine,
          model: provenance.model,
          seed: provenance.seed,
          duration_ms: provenance.renderMs,
        }),
        ...(failures && { failures }),
      };
      return { eventType: 'succeeded', stage: 'succeeded', message, artifacts, extra };
    }
    case 'JobFailed':
      return failed(event.data.code, event.data.message);
    case 'JobCancelled':
      return failed('CANCELLED', event.data.reason);
    default:
      return undefined;
  }
}

function failed(code: string, message: string): Entry {
  return { eventType: 'failed', stage: 'failed', message, extra: { error: { code, message } } };
}

function isShown(event: ProjectedEvent): boolean {
  return event.type !== 'JobVoided';
}

function seqOf(event: ProjectedEvent): number {
  return Number(event.revision) + 1;
}
