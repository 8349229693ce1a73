import type { AuditedEvent } from '../audited-event.js';
import { time, type RowModel } from './row-model.js';
import { none, type Cell, type RowStore } from './row-store.js';
import { timelineEntry } from './timeline.rows.js';

const started = 0;

/** One row a job: the facts of its JobQueued, and where it stands. A stream that was fenced off has no job. */
export const jobRows: RowModel = {
  name: 'jobs',
  categories: ['job'],
  tenantColumn: 'tenant',
  keyColumns: 1,
  slots: 1,
  columns: {
    public_id: 'text',
    tenant: 'text',
    job_type: 'text',
    operation: 'text',
    status: 'text',
    credits_cost: 'integer',
    request_id: 'text',
    charge_id: 'text',
    parent_job_id: 'text',
    display_name: 'text',
    created_at: 'time',
    started_at: 'time',
    finished_at: 'time',
    result: 'json',
    error: 'json',
    latest_seq: 'integer',
    latest_event: 'json',
    revision: 'integer',
    child_index: 'integer',
  },
  fold(event, rows) {
    if (event.type === 'JobQueued') return queue(event, rows);
    const row = rows.find([event.streamId]);
    if (row === none || event.type === 'JobVoided') return;
    const moved = progress(event, rows.get(row, started));
    if (event.type === 'RenderStarted') rows.put(row, started, 1);
    rows.write(row, { ...moved, ...latest(event), revision: event.revision });
  },
};

function queue(event: Extract<AuditedEvent, { type: 'JobQueued' }>, rows: RowStore): void {
  const { data, revision, streamId } = event;
  const row = rows.open([streamId]);
  if (row === none) return;
  rows.put(row, started, 0);
  rows.write(row, {
    public_id: data.jobId,
    tenant: data.tenant,
    job_type: data.jobType,
    operation: data.operation,
    status: 'NOT_STARTED',
    credits_cost: data.creditsCost,
    request_id: data.requestId,
    charge_id: data.chargeId,
    parent_job_id: data.parentJobId,
    display_name: data.displayName,
    created_at: time(data.at),
    started_at: null,
    finished_at: null,
    result: null,
    error: null,
    ...latest(event),
    revision,
    child_index: data.childIndex ?? null,
  });
}

/** What an event after the first one changes. The first start counts. */
function progress(event: AuditedEvent, hasStarted: number): Record<string, Cell> {
  switch (event.type) {
    case 'RenderStarted':
      return { status: 'IN_PROGRESS', ...(hasStarted === 0 && { started_at: time(event.data.at) }) };
    case 'StageCompleted':
      return { status: 'IN_PROGRESS' };
    case 'JobSucceeded':
      return { status: 'SUCCESS', finished_at: time(event.data.at), result: event.data.artifacts };
    case 'JobFailed': {
      const { code, message, at } = event.data;
      return { status: 'FAILURE', finished_at: time(at), error: { code, message } };
    }
    case 'JobCancelled': {
      const error = { code: 'CANCELLED', message: event.data.reason };
      return { status: 'FAILURE', finished_at: time(event.data.at), error };
    }
    default:
      return {};
  }
}

/** The newest event that the caller can see. */
function latest(event: AuditedEvent): Record<string, Cell> {
  const entry = timelineEntry(event);
  if (!entry || entry.visibility === 'internal') return {};
  const seq = event.revision + 1;
  const { event_type: eventType, stage, message, artifacts, extra } = entry;
  const createdAt = new Date(time(event.data.at)).toISOString();
  return {
    latest_seq: seq,
    latest_event: { seq, eventType, stage, message, artifacts, extra, createdAt },
  };
}
