import { Column, Entity, PrimaryColumn } from 'typeorm';
import { erasedText } from '#domain/erased.js';
import type { EventOfType } from '#domain/events.js';
import { erasedArtifacts } from '#domain/job/erase-job.js';
import type { JobArtifact, JobFailurePart } from '#domain/job/job.events.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';

/** One event of a job's timeline. `seq` = stream revision + 1, and so the caller's polling cursor. */
@Entity('timeline')
export class TimelineRow {
  @PrimaryColumn({ type: 'text' })
  jobId: string;

  @PrimaryColumn({ type: 'integer' })
  seq: number;

  @Column({ type: 'text' })
  tenant: string;

  /** `started` is internal: it is kept for operators and never shown to a caller. */
  @Column({ type: 'text' })
  eventType: 'queued' | 'started' | 'stage' | 'succeeded' | 'failed';

  @Column({ type: 'text' })
  visibility: 'public' | 'internal';

  /** The stage's name on `stage` events, otherwise equal to the event type. */
  @Column({ type: 'text' })
  stage: string;

  @Column({ type: 'text' })
  message: string;

  /** Holds storage keys and no URLs. A read of the timeline presigns the URLs. */
  @Column({ type: 'jsonb' })
  artifacts: JobArtifact[];

  @Column({ type: 'jsonb' })
  extra: Record<string, unknown>;

  @Column({ type: 'timestamptz' })
  createdAt: Date;
}

export const timelineReadModel: ReadModel<TimelineRow> = {
  name: 'timeline',
  version: 1,
  entity: TimelineRow,
  categories: ['job'],
  rowPerEvent: true,
  rowsChangedBy: ['JobErased'],
  // Only operators see vendors' calls and prices, which have no entry. A fence is not a job.
  keysOf: (event) => {
    if (event.type === 'JobErased') return earlierRows(event);
    return entryOf(event) ? [[event.streamId, seqOf(event)]] : [];
  },
  evolve: (row, event) =>
    event.type === 'JobErased' ? row && { ...row, ...erasedEntry(row, event.data) } : timelineRow(event),
};

/** An erasure changes the rows of all events before it. */
function earlierRows({ streamId, revision }: ProjectedEvent): readonly (readonly [string, number])[] {
  return Array.from({ length: Number(revision) }, (_, index) => [streamId, index + 1] as const);
}

/** The timeline folded from a job's own stream, internal events included, in the order of `seq`. */
export function foldTimelineRows(events: readonly ProjectedEvent[]): TimelineRow[] {
  return events.reduce<TimelineRow[]>((rows, event) => {
    if (event.type === 'JobErased') return rows.map((row) => ({ ...row, ...erasedEntry(row, event.data) }));
    const row = timelineRow(event);
    return row ? [...rows, row] : rows;
  }, []);
}

/** What JobErased changes in an entry. The words of `queued` and `started` are the service's own. */
export function erasedEntry(
  entry: Pick<TimelineRow, 'eventType' | 'message' | 'artifacts' | 'extra'>,
  erased: EventOfType<'JobErased'>['data'],
): Pick<TimelineRow, 'message' | 'artifacts' | 'extra'> {
  const { eventType, message, extra } = entry;
  const artifacts = erasedArtifacts(entry.artifacts, erased);
  if (!erased.words || eventType === 'queued' || eventType === 'started')
    return { message, artifacts, extra };
  // The entry of a failure has `error`, that of a success may have `failures`.
  const { error, failures } = extra as {
    error?: { code: string; message: string };
    failures?: JobFailurePart[];
  };
  return {
    message: erasedText,
    artifacts,
    extra: {
      ...extra,
      ...(error && { error: { ...error, message: erasedText } }),
      ...(failures && { failures: failures.map((failure) => ({ ...failure, message: erasedText })) }),
    },
  };
}

/** The row of one job event; undefined for an event that is not part of the timeline. */
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

function seqOf(event: ProjectedEvent): number {
  return Number(event.revision) + 1;
}
