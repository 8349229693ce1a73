import type { EventOfType } from '#domain/events.js';
import type { AuditedEvent, Placed } from '../audited-event.js';
import type { FoldedRow, ReadModelFold, RowFold, RowKey } from './folded-rows.js';

/**
 * A second computation of the columns about money, written from the columns' meaning and not from the projection. The
 * properties of a row are columns of the table; times are in milliseconds.
 */
interface MoneyModel<Row extends object = object> {
  /** A new row. Its properties name the columns that the model covers. */
  readonly row: Row;
  /** Whether events are still to come for this row. */
  isOpen(row: Row): boolean;
  keyOf(event: AuditedEvent): RowKey | undefined;
  /** @param row one that it has made */
  evolve(row: Row | undefined, event: AuditedEvent): Row | undefined;
}

/** One row for each job that was not fenced off: its tenant, its cost and its state. */
class JobCells {
  tenant = '';
  status = 'NOT_STARTED';
  credits_cost = 0;
  request_id = '';
  charge_id: string | null = null;
  parent_job_id: string | null = null;
}

const jobs: MoneyModel<JobCells> = {
  row: new JobCells(),
  isOpen: ({ status }) => status === 'NOT_STARTED' || status === 'IN_PROGRESS',
  keyOf: ({ type, streamId }) => (type === 'JobQueued' || statusAfter[type] ? [streamId] : undefined),
  evolve(row, { type, data }) {
    if (type === 'JobQueued') {
      const { tenant, creditsCost, requestId, chargeId, parentJobId } = data;
      const ids = { request_id: requestId, charge_id: chargeId, parent_job_id: parentJobId };
      return { ...jobs.row, tenant, credits_cost: creditsCost, ...ids };
    }
    const status = statusAfter[type];
    return row && status !== undefined && status !== row.status ? { ...row, status } : row;
  },
};

const statusAfter: Readonly<Partial<Record<AuditedEvent['type'], string>>> = {
  RenderStarted: 'IN_PROGRESS',
  StageCompleted: 'IN_PROGRESS',
  JobSucceeded: 'SUCCESS',
  JobFailed: 'FAILURE',
  JobCancelled: 'FAILURE',
};

/** One row for each purchase, correction or charge: its present effect on the balance. */
class LedgerCells {
  id = '';
  tenant = '';
  kind = '';
  label = '';
  amount = 0;
  credits_delta = 0;
  status = '';
  job_id: string | null = null;
  created_at = 0;
  resolved_at: number | null = null;
  revision = 0;
}

const ledger: MoneyModel<LedgerCells> = {
  row: new LedgerCells(),
  isOpen: ({ status }) => status === 'PENDING',
  keyOf({ type, data }) {
    switch (type) {
      case 'CreditsPurchased':
        return [data.purchaseId];
      case 'CreditsCorrected':
        return [data.correctionId];
      case 'CreditsDebited':
      case 'CreditsSettled':
      case 'CreditsRefunded':
        return [data.chargeId];
      default:
        return undefined;
    }
  },
  evolve(row, event) {
    switch (event.type) {
      case 'CreditsPurchased': {
        const { purchaseId: id, kind, label, amount } = event.data;
        return { ...entry(event), id, kind, label, amount, credits_delta: amount, status: 'PURCHASED' };
      }
      case 'CreditsCorrected': {
        const { correctionId: id, reason: label, amount } = event.data;
        const effect = { amount, credits_delta: -amount, status: 'CORRECTED' };
        return { ...entry(event), id, kind: 'correction', label, ...effect };
      }
      case 'CreditsDebited': {
        const { chargeId: id, endpoint: label, amount, jobId: job_id } = event.data;
        const effect = { amount, credits_delta: -amount, status: 'PENDING' };
        return { ...entry(event), id, kind: 'operation', label, job_id, ...effect };
      }
      case 'CreditsSettled':
        return row && { ...row, status: 'SUCCESS', resolved_at: Date.parse(event.data.at) };
      case 'CreditsRefunded': {
        const { amount, at } = event.data;
        const effect = row && { credits_delta: row.credits_delta + amount, resolved_at: Date.parse(at) };
        return row && { ...row, ...effect, status: 'REFUNDED' };
      }
      default:
        return row;
    }
  },
};

function entry({ streamId: tenant, revision, data }: AuditedEvent): LedgerCells {
  return { ...ledger.row, tenant, revision, created_at: Date.parse(data.at) };
}

/**
 * One row for each request: its charge in all, and how it ended. No later event changes the row of a refused
 * request, or of a caller's write that costs nothing.
 */
class UsageCells {
  request_id = '';
  tenant = '';
  endpoint = '';
  method = 'POST';
  status = 'PENDING';
  http_status: number | null = null;
  credits_charged = 0;
  credits_refunded = 0;
  job_id: string | null = null;
  created_at = 0;
  submitted_at: number | null = null;
  resolved_at: number | null = null;
  latency_ms: number | null = null;
  error_code: string | null = null;
  error_message: string | null = null;
  open_charges = 0;
  settled_charges = 0;
}

const usage: MoneyModel<UsageCells> = {
  row: new UsageCells(),
  isOpen: ({ status }) => status === 'PENDING',
  keyOf(event) {
    const { type, data } = event;
    switch (type) {
      case 'RequestRejected':
      case 'CreditsDebited':
      case 'JobQueued':
        return [data.requestId];
      case 'CreditsSettled':
      case 'CreditsRefunded':
        // A charge is named after its request; the names of a batch's charges add a dot and a number.
        return [data.chargeId.split('.', 1)[0]!];
      default:
        return freeCall(event) ? [event.recorded.metadata.requestId] : undefined;
    }
  },
  evolve(row, event) {
    const { type, data, streamId } = event;
    const at = Date.parse(data.at);
    switch (type) {
      case 'RequestRejected': {
        const { requestId: request_id, endpoint, method, httpStatus: http_status, latencyMs } = data;
        const error = { error_code: data.errorCode, error_message: data.errorMessage };
        const times = { created_at: at, resolved_at: at, latency_ms: latencyMs };
        const request = { request_id, tenant: streamId, endpoint, method };
        return { ...usage.row, ...request, ...times, ...error, status: 'FAILED', http_status };
      }
      case 'CreditsDebited':
        return charged(row ?? dispatch(event), data.amount);
      case 'JobQueued':
        // When the first of the request's jobs was queued.
        return row && row.submitted_at === null ? { ...row, submitted_at: at } : row;
      case 'CreditsSettled':
        return row && closed({ ...row, settled_charges: row.settled_charges + 1 }, at);
      case 'CreditsRefunded':
        return row && closed({ ...row, credits_refunded: row.credits_refunded + data.amount }, at);
      default:
        return answered(row, event);
    }
  },
};

function dispatch({ data, streamId: tenant }: Placed<EventOfType<'CreditsDebited'>>): UsageCells {
  const { requestId: request_id, endpoint, parentJobId, jobId, at } = data;
  const request = { request_id, tenant, endpoint, http_status: 202, created_at: Date.parse(at) };
  return { ...usage.row, ...request, job_id: parentJobId ?? jobId };
}

function charged(row: UsageCells, amount: number): UsageCells {
  const charges = { credits_charged: row.credits_charged + amount, open_charges: row.open_charges + 1 };
  return { ...row, ...charges, status: 'PENDING', resolved_at: null, latency_ms: null };
}

function closed(row: UsageCells, at: number): UsageCells {
  const open_charges = row.open_charges - 1;
  if (open_charges > 0) return { ...row, open_charges };
  const status = row.settled_charges > 0 ? 'SUCCESS' : 'REFUNDED';
  return { ...row, open_charges, status, resolved_at: at, latency_ms: at - row.created_at };
}

const patchesProduct = 'PATCH /v1/products/{public_id} 200';

/**
 * The call and the answer of a caller's own request; undefined for events of workers, operators and the
 * service.
 */
function freeCall({ type, data, recorded }: AuditedEvent): string | undefined {
  const { actor, causationId } = recorded.metadata;
  if (!actor.startsWith('key:')) return undefined;
  switch (type) {
    case 'AssetStored':
      return 'POST /v1/uploads 201';
    case 'CatalogEntryRetired':
      return 'DELETE /v1/catalog/{resource}/{public_id} 204';
    case 'ProductRegistered':
      return 'POST /v1/products 201';
    case 'ProductRevised': {
      const isPost = data.externalRef !== null && causationId.startsWith('product:');
      return isPost ? 'POST /v1/products 200' : patchesProduct;
    }
    case 'ProductArchived':
      return patchesProduct;
    case 'JobCancelled':
      return 'POST /v1/jobs/{public_id}/cancel 200';
    default:
      return undefined;
  }
}

/**
 * A batch comes before its jobs, so the first event of a call counts. A call that changes and archives a
 * product counts as archiving it.
 */
function answered(row: UsageCells | undefined, event: AuditedEvent): UsageCells | undefined {
  const { type, data, streamId, recorded } = event;
  const [method = '', endpoint = '', status] = freeCall(event)?.split(' ') ?? [];
  const call = { method, endpoint, http_status: Number(status) };
  if (row) return type === 'ProductArchived' ? { ...row, ...call } : row;
  const { requestId: request_id, tenant } = recorded.metadata;
  const at = Date.parse(data.at);
  const request = { request_id, tenant, created_at: at, resolved_at: at, status: 'SUCCESS' };
  return { ...usage.row, ...request, ...call, job_id: type === 'JobCancelled' ? streamId : null };
}

/** One row for each call of a vendor: its tenant and its price. */
class CallCells {
  tenant = '';
  units: number | null = null;
  price_micros: number | null = null;
  currency: string | null = null;
}

const calls: MoneyModel<CallCells> = {
  row: new CallCells(),
  isOpen: ({ units }) => units === null,
  keyOf: ({ type, data, streamId }) =>
    type === 'EngineCalled' || type === 'EngineAnswered' ? [streamId, data.call] : undefined,
  evolve(row, { type, data }) {
    if (type === 'EngineCalled') return { ...calls.row, tenant: data.tenant };
    if (type !== 'EngineAnswered' || !row) return row;
    const { units, price, currency } = data;
    return { ...row, units, price_micros: Math.round(price * 1e6), currency };
  },
};

/** One row for each charge: what of it remains with which key. */
class KeyChargeCells {
  tenant = '';
  key_id: string | null = null;
  amount = 0;
  refunded = 0;
  charged_at = 0;
  /** No column: a charge that is closed gets no more events. */
  isClosed = false;
}

const key_charges: MoneyModel<KeyChargeCells> = {
  row: new KeyChargeCells(),
  isOpen: ({ isClosed }) => !isClosed,
  keyOf: ({ type, data }) =>
    type === 'CreditsDebited' || type === 'CreditsSettled' || type === 'CreditsRefunded'
      ? [data.chargeId]
      : undefined,
  evolve(row, { type, data, streamId: tenant, recorded }) {
    if (type === 'CreditsSettled') return row && { ...row, isClosed: true };
    if (type === 'CreditsRefunded')
      return row && { ...row, refunded: row.refunded + data.amount, isClosed: true };
    if (type !== 'CreditsDebited') return row;
    const [, key_id = null] = /^key:(.*)$/.exec(recorded.metadata.actor) ?? [];
    return { ...key_charges.row, tenant, key_id, amount: data.amount, charged_at: Date.parse(data.at) };
  },
};

const moneyModels: Readonly<Partial<Record<string, MoneyModel>>> = {
  jobs,
  usage,
  ledger,
  calls,
  key_charges,
};

/**
 * The folds that a table is compared with: the audit's own for the columns about money, and the read model's
 * for the others.
 */
export function foldsOf(model: ReadModelFold): readonly RowFold[] {
  const money = moneyModels[model.name];
  if (!money) return [model];
  const own = new Set(Object.keys(money.row));
  const columns = model.columns.filter(({ name }) => own.has(name));
  const others = model.columns.filter(({ name }) => !own.has(name));
  const fold: RowFold = {
    columns: columns.map((column) => ({ ...column, property: column.name })),
    rowPerEvent: false,
    keysSpanStreams: true,
    rowsNeverChange: false,
    changesRows: () => true,
    isOpen: (row) => money.isOpen(row),
    keysOf(event) {
      const key = money.keyOf(event);
      return key ? [key] : [];
    },
    evolve: (row, event) => money.evolve(row, event) as FoldedRow | undefined,
  };
  return others.length > 0 ? [fold, { ...model, columns: others }] : [fold];
}
