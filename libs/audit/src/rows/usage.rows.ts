import type { EventOfType } from '#domain/events.js';
import type { EventPlace } from '../audited-event.js';
import { time, type RowModel } from './row-model.js';
import { none, type RowStore } from './row-store.js';

// Of each request: when it began, what it was charged and given back, its charges by what became of them.
const [createdAt, charged, refunded, open, settled, submitted] = [0, 1, 2, 3, 4, 5] as const;

/** One row a request: what it was charged in all, and how it ended. A refused request is a row that nothing changes. */
export const usageRows: RowModel = {
  name: 'usage',
  categories: ['account', 'job', 'usage'],
  tenantColumn: 'tenant',
  keyColumns: 1,
  slots: 6,
  columns: {
    request_id: 'text',
    tenant: 'text',
    endpoint: 'text',
    method: 'text',
    status: 'text',
    http_status: 'integer',
    credits_charged: 'integer',
    credits_refunded: 'integer',
    job_id: 'text',
    created_at: 'time',
    submitted_at: 'time',
    resolved_at: 'time',
    latency_ms: 'integer',
    error_code: 'text',
    error_message: 'text',
    open_charges: 'integer',
    settled_charges: 'integer',
  },
  fold(event, rows) {
    switch (event.type) {
      case 'RequestRejected':
        return reject(event, rows);
      case 'CreditsDebited':
        return charge(event, rows);
      case 'JobQueued':
        return submit(event.data, rows);
      case 'CreditsSettled':
        return close(event.data, rows, settled, 1);
      case 'CreditsRefunded':
        return close(event.data, rows, refunded, event.data.amount);
      default:
        return;
    }
  },
};

function charge(event: EventOfType<'CreditsDebited'> & EventPlace, rows: RowStore): void {
  const { requestId, endpoint, jobId, parentJobId, amount, at } = event.data;
  const isNew = rows.find([requestId]) === none;
  const row = rows.open([requestId]);
  if (row === none) return;
  if (isNew) {
    for (const slot of [charged, refunded, open, settled, submitted]) rows.put(row, slot, 0);
    rows.put(row, createdAt, time(at));
    rows.write(row, {
      ...blank(requestId, event.streamId, endpoint, 'POST', at),
      http_status: 202,
      job_id: parentJobId ?? jobId,
    });
  }
  add(rows, row, charged, amount);
  add(rows, row, open, 1);
  rows.write(row, {
    status: 'PENDING',
    credits_charged: rows.get(row, charged),
    open_charges: rows.get(row, open),
    resolved_at: null,
    latency_ms: null,
  });
}

/** When the first of the request's jobs was queued. */
function submit({ requestId, at }: EventOfType<'JobQueued'>['data'], rows: RowStore): void {
  const row = rows.find([requestId]);
  if (row === none || rows.get(row, submitted) === 1) return;
  rows.put(row, submitted, 1);
  rows.write(row, { submitted_at: time(at) });
}

/** A charge is named after its request, with what follows a dot telling the charges of a batch apart. */
function close(
  { chargeId, at }: { readonly chargeId: string; readonly at: string },
  rows: RowStore,
  slot: typeof settled | typeof refunded,
  by: number,
): void {
  const dot = chargeId.indexOf('.');
  const row = rows.find([dot < 0 ? chargeId : chargeId.slice(0, dot)]);
  if (row === none) return;
  add(rows, row, slot, by);
  add(rows, row, open, -1);
  rows.write(row, {
    credits_refunded: rows.get(row, refunded),
    settled_charges: rows.get(row, settled),
    open_charges: rows.get(row, open),
  });
  if (rows.get(row, open) > 0) return;
  rows.write(row, {
    status: rows.get(row, settled) > 0 ? 'SUCCESS' : 'REFUNDED',
    resolved_at: time(at),
    latency_ms: time(at) - rows.get(row, createdAt),
  });
}

function reject({ data, streamId }: EventOfType<'RequestRejected'> & EventPlace, rows: RowStore): void {
  const row = rows.open([data.requestId]);
  if (row === none) return;
  rows.write(row, {
    ...blank(data.requestId, streamId, data.endpoint, data.method, data.at),
    status: 'FAILED',
    http_status: data.httpStatus,
    resolved_at: time(data.at),
    latency_ms: data.latencyMs,
    error_code: data.errorCode,
    error_message: data.errorMessage,
  });
}

function blank(requestId: string, tenant: string, endpoint: string, method: string, at: string) {
  return {
    ...{ request_id: requestId, tenant, endpoint, method, http_status: null, job_id: null },
    ...{ credits_charged: 0, credits_refunded: 0, open_charges: 0, settled_charges: 0 },
    ...{ created_at: time(at), submitted_at: null, resolved_at: null, latency_ms: null },
    ...{ error_code: null, error_message: null },
  };
}

function add(rows: RowStore, row: number, slot: number, by: number): void {
  rows.put(row, slot, rows.get(row, slot) + by);
}
