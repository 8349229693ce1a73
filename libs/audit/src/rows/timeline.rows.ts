import type { EventOfType } from '#domain/events.js';
import type { AuditedEvent } from '../audited-event.js';
import { time, type RowModel } from './row-model.js';
import { none } from './row-store.js';

interface TimelineEntry {
  readonly event_type: string;
  readonly visibility: 'public' | 'internal';
  readonly stage: string;
  readonly message: string;
  readonly artifacts: readonly object[];
  readonly extra: object;
}

/** One row a job event; `seq` is its revision + 1. */
export const timelineRows: RowModel = {
  name: 'timeline',
  categories: ['job'],
  tenantColumn: 'tenant',
  keyColumns: 2,
  columns: {
    job_id: 'text',
    seq: 'integer',
    tenant: 'text',
    event_type: 'text',
    visibility: 'text',
    stage: 'text',
    message: 'text',
    artifacts: 'json',
    extra: 'json',
    created_at: 'time',
  },
  fold(event, rows) {
    const entry = timelineEntry(event);
    if (!entry) return;
    const seq = event.revision + 1;
    const row = rows.open([event.streamId, seq]);
    if (row === none) return;
    const { streamId: job_id, tenant } = event;
    rows.write(row, { job_id, seq, tenant, ...entry, created_at: time(event.data.at) });
  },
};

/** What the timeline says of a job event; undefined for an event that it does not have. */
export function timelineEntry(event: AuditedEvent): TimelineEntry | undefined {
  switch (event.type) {
    case 'JobQueued': {
      const { operation, jobType: job_type, creditsCost: credits_cost } = event.data;
      return entry('queued', 'Job accepted.', { operation, job_type, credits_cost });
    }
    case 'RenderStarted': {
      const { attempt, worker } = event.data;
      return {
        ...entry('started', `Attempt ${attempt} started.`, { attempt, worker }),
        visibility: 'internal',
      };
    }
    case 'StageCompleted': {
      const { stage, message, artifacts } = event.data;
      return { ...entry('stage', message, {}, artifacts), stage };
    }
    case 'JobSucceeded':
      return entry('succeeded', event.data.message, extraOf(event.data), event.data.artifacts);
    case 'JobFailed':
      return failure(event.data.code, event.data.message);
    case 'JobCancelled':
      return failure('CANCELLED', event.data.reason);
    default:
      return undefined;
  }
}

function entry(
  type: string,
  message: string,
  extra: object,
  artifacts: readonly object[] = [],
): TimelineEntry {
  return { event_type: type, visibility: 'public', stage: type, message, artifacts, extra };
}

function failure(code: string, message: string): TimelineEntry {
  return entry('failed', message, { error: { code, message } });
}

function extraOf({ provenance, failures }: EventOfType<'JobSucceeded'>['data']): object {
  const extra: Record<string, unknown> = {};
  if (provenance) {
    extra['engine'] = provenance.engine;
    extra['model'] = provenance.model;
    extra['seed'] = provenance.seed;
    extra['duration_ms'] = provenance.renderMs;
  }
  if (failures) extra['failures'] = failures;
  return extra;
}
