import type { EventOfType } from '#domain/events.js';
import type { AuditedEvent, Placed } from '../audited-event.js';
import { none, type RowCell, type RowStore } from './row-store.js';

/**
 * A second computation of the columns about money, written from the columns' meaning and not from the projection. The
 * other columns are left to the read model's own fold.
 */
export interface MoneyModel {
  readonly columns: readonly string[];
  /** Numbers that it keeps of each row, beside its cells. */
  readonly slots: number;
  fold(event: AuditedEvent, rows: RowStore): void;
}

/** One row for each job that was not fenced off: its tenant, its cost and its state. */
const jobs: MoneyModel = {
  columns: ['tenant', 'status', 'credits_cost', 'request_id', 'charge_id', 'parent_job_id'],
  slots: 0,
  fold(event, rows) {
    if (event.type === 'JobQueued') {
      const row = rows.open([event.streamId]);
      if (row === none) return;
      const { tenant, creditsCost, requestId, chargeId, parentJobId } = event.data;
      const ids = { request_id: requestId, charge_id: chargeId, parent_job_id: parentJobId };
      return rows.write(row, { tenant, status: 'NOT_STARTED', credits_cost: creditsCost, ...ids });
    }
    const row = rows.find([event.streamId]);
    const status = statusAfter[event.type];
    if (row !== none && status !== undefined) rows.write(row, { status });
  },
};

const statusAfter: Readonly<Partial<Record<AuditedEvent['type'], string>>> = {
  RenderStarted: 'IN_PROGRESS',
  StageCompleted: 'IN_PROGRESS',
  JobSucceeded: 'SUCCESS',
  JobFailed: 'FAILURE',
  JobCancelled: 'FAILURE',
};

const delta = 0;

/** One row for each purchase or charge: its present effect on the balance. */
const ledger: MoneyModel = {
  columns: [
    'id',
    'tenant',
    'kind',
    'label',
    'amount',
    'credits_delta',
    'status',
    'job_id',
    'created_at',
    'resolved_at',
    'revision',
  ],
  slots: 1,
  fold(event, rows) {
    switch (event.type) {
      case 'CreditsPurchased': {
        const { purchaseId, kind, label, amount } = event.data;
        const cells = { kind, label, amount, status: 'PURCHASED', job_id: null };
        return enter(rows, event, purchaseId, amount, cells);
      }
      case 'CreditsCorrected': {
        const { correctionId, reason: label, amount } = event.data;
        const cells = { kind: 'correction', label, amount, status: 'CORRECTED', job_id: null };
        return enter(rows, event, correctionId, -amount, cells);
      }
      case 'CreditsDebited': {
        const { chargeId, endpoint: label, amount, jobId: job_id } = event.data;
        const cells = { kind: 'operation', label, amount, status: 'PENDING', job_id };
        return enter(rows, event, chargeId, -amount, cells);
      }
      case 'CreditsSettled':
        return closeEntry(rows, event.data, 'SUCCESS', 0);
      case 'CreditsRefunded':
        return closeEntry(rows, event.data, 'REFUNDED', event.data.amount);
      default:
        return;
    }
  },
};

function enter(
  rows: RowStore,
  {
    data,
    streamId: tenant,
    revision,
  }: Placed<EventOfType<'CreditsPurchased' | 'CreditsCorrected' | 'CreditsDebited'>>,
  id: string,
  effect: number,
  cells: Record<string, RowCell>,
): void {
  const row = rows.open([id]);
  if (row === none) return;
  rows.put(row, delta, effect);
  const times = { created_at: Date.parse(data.at), resolved_at: null };
  rows.write(row, { id, tenant, ...cells, ...times, credits_delta: effect, revision });
}

function closeEntry(
  rows: RowStore,
  { chargeId, at }: { readonly chargeId: string; readonly at: string },
  status: string,
  givenBack: number,
): void {
  const row = rows.find([chargeId]);
  if (row === none) return;
  const effect = rows.get(row, delta) + givenBack;
  rows.put(row, delta, effect);
  rows.write(row, { credits_delta: effect, status, resolved_at: Date.parse(at) });
}

// For each request: when it began, the credits charged and refunded, and the number of its charges by state.
const [createdAt, charged, refunded, open, settled, submitted] = [0, 1, 2, 3, 4, 5] as const;

/**
 * One row a request: what it was charged in all, and how it ended. A refused request is a row that nothing changes, and so is
 * a caller's write that costs nothing.
 */
const usage: MoneyModel = {
  columns: [
    'request_id',
    'tenant',
    'endpoint',
    'method',
    'status',
    'http_status',
    'credits_charged',
    'credits_refunded',
    'job_id',
    'created_at',
    'submitted_at',
    'resolved_at',
    'latency_ms',
    'error_code',
    'error_message',
    'open_charges',
    'settled_charges',
  ],
  slots: 6,
  fold(event, rows) {
    switch (event.type) {
      case 'RequestRejected':
        return reject(event, rows);
      case 'CreditsDebited':
        return charge(event, rows);
      case 'JobQueued':
        return submit(event.data, rows);
      case 'CreditsSettled':
        return closeCharge(event.data, rows, settled, 1);
      case 'CreditsRefunded':
        return closeCharge(event.data, rows, refunded, event.data.amount);
      case 'AssetStored':
        return answer(event, rows, 'POST /v1/uploads', 201);
      case 'CatalogEntryRetired':
        return answer(event, rows, 'DELETE /v1/catalog/{resource}/{public_id}', 204);
      case 'ProductRegistered':
        return answer(event, rows, 'POST /v1/products', 201);
      case 'ProductRevised': {
        const { data, recorded } = event;
        const isPost = data.externalRef !== null && recorded.metadata.causationId.startsWith('product:');
        return answer(event, rows, isPost ? 'POST /v1/products' : patchesProduct, 200);
      }
      case 'ProductArchived':
        return answer(event, rows, patchesProduct, 200);
      case 'JobCancelled':
        return answer(event, rows, 'POST /v1/jobs/{public_id}/cancel', 200);
      default:
        return;
    }
  },
};

const patchesProduct = 'PATCH /v1/products/{public_id}';

/**
 * Notes the answer of a caller's own request. Events of workers, operators and the service do not count. A batch comes
 * before its jobs.
 */
function answer(
  { type, data, streamId, recorded }: AuditedEvent,
  rows: RowStore,
  call: string,
  status: number,
): void {
  const { actor, requestId, tenant } = recorded.metadata;
  if (!actor.startsWith('key:')) return;
  const isNew = rows.find([requestId]) === none;
  const row = rows.open([requestId]);
  if (row === none) return;
  const [method = '', endpoint = ''] = call.split(' ');
  if (!isNew)
    return type === 'ProductArchived'
      ? rows.write(row, { method, endpoint, http_status: status })
      : undefined;
  rows.write(row, {
    ...blank(requestId, tenant, endpoint, method, data.at),
    status: 'SUCCESS',
    http_status: status,
    job_id: type === 'JobCancelled' ? streamId : null,
    resolved_at: Date.parse(data.at),
  });
}

function charge(event: Placed<EventOfType<'CreditsDebited'>>, rows: RowStore): void {
  const { requestId, endpoint, jobId, parentJobId, amount, at } = event.data;
  const isNew = rows.find([requestId]) === none;
  const row = rows.open([requestId]);
  if (row === none) return;
  if (isNew) {
    for (const slot of [charged, refunded, open, settled, submitted]) rows.put(row, slot, 0);
    rows.put(row, createdAt, Date.parse(at));
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
  rows.write(row, { submitted_at: Date.parse(at) });
}

/** A charge is named after its request, with what follows a dot telling the charges of a batch apart. */
function closeCharge(
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
    resolved_at: Date.parse(at),
    latency_ms: Date.parse(at) - rows.get(row, createdAt),
  });
}

function reject({ data, streamId }: Placed<EventOfType<'RequestRejected'>>, rows: RowStore): void {
  const row = rows.open([data.requestId]);
  if (row === none) return;
  rows.write(row, {
    ...blank(data.requestId, streamId, data.endpoint, data.method, data.at),
    status: 'FAILED',
    http_status: data.httpStatus,
    resolved_at: Date.parse(data.at),
    latency_ms: data.latencyMs,
    error_code: data.errorCode,
    error_message: data.errorMessage,
  });
}

function blank(requestId: string, tenant: string, endpoint: string, method: string, at: string) {
  return {
    request_id: requestId,
    tenant,
    endpoint,
    method,
    http_status: null,
    job_id: null,
    credits_charged: 0,
    credits_refunded: 0,
    open_charges: 0,
    settled_charges: 0,
    created_at: Date.parse(at),
    submitted_at: null,
    resolved_at: null,
    latency_ms: null,
    error_code: null,
    error_message: null,
  };
}

function add(rows: RowStore, row: number, slot: number, by: number): void {
  rows.put(row, slot, rows.get(row, slot) + by);
}

/** One row for each call of a vendor: its tenant and its price. */
const calls: MoneyModel = {
  columns: ['tenant', 'units', 'price_micros', 'currency'],
  slots: 0,
  fold(event, rows) {
    if (event.type === 'EngineCalled') {
      const row = rows.open([event.streamId, event.data.call]);
      const unpaid = { units: null, price_micros: null, currency: null };
      if (row !== none) rows.write(row, { tenant: event.data.tenant, ...unpaid });
    }
    if (event.type === 'EngineAnswered') {
      const row = rows.find([event.streamId, event.data.call]);
      const { units, price, currency } = event.data;
      if (row !== none) rows.write(row, { units, price_micros: Math.round(price * 1e6), currency });
    }
  },
};

/** By read model. */
export const moneyModels: Readonly<Partial<Record<string, MoneyModel>>> = { jobs, usage, ledger, calls };
