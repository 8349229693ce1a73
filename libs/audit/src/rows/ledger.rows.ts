import type { EventPlace } from '../audited-event.js';
import { time, type RowModel } from './row-model.js';
import { none, type Cell, type RowStore } from './row-store.js';

const delta = 0;

/** One row a purchase or a charge: what it does to the balance by now. */
export const ledgerRows: RowModel = {
  name: 'ledger',
  categories: ['account'],
  tenantColumn: 'tenant',
  keyColumns: 1,
  slots: 1,
  columns: {
    id: 'text',
    tenant: 'text',
    kind: 'text',
    label: 'text',
    amount: 'integer',
    credits_delta: 'integer',
    status: 'text',
    job_id: 'text',
    created_at: 'time',
    resolved_at: 'time',
    revision: 'integer',
  },
  fold(event, rows) {
    switch (event.type) {
      case 'CreditsPurchased': {
        const { purchaseId, kind, label, amount, at } = event.data;
        const cells = { kind, label, amount, status: 'PURCHASED', job_id: null, created_at: time(at) };
        return enter(rows, event, purchaseId, amount, cells);
      }
      case 'CreditsDebited': {
        const { chargeId, endpoint: label, amount, jobId: job_id, at } = event.data;
        const cells = { kind: 'operation', label, amount, status: 'PENDING', job_id, created_at: time(at) };
        return enter(rows, event, chargeId, -amount, cells);
      }
      case 'CreditsSettled':
        return close(rows, event.data, 'SUCCESS', 0);
      case 'CreditsRefunded':
        return close(rows, event.data, 'REFUNDED', event.data.amount);
      default:
        return;
    }
  },
};

function enter(
  rows: RowStore,
  { streamId: tenant, revision }: EventPlace,
  id: string,
  effect: number,
  cells: Record<string, Cell>,
): void {
  const row = rows.open([id]);
  if (row === none) return;
  rows.put(row, delta, effect);
  rows.write(row, { id, tenant, ...cells, credits_delta: effect, resolved_at: null, revision });
}

function close(
  rows: RowStore,
  { chargeId, at }: { readonly chargeId: string; readonly at: string },
  status: string,
  givenBack: number,
): void {
  const row = rows.find([chargeId]);
  if (row === none) return;
  const effect = rows.get(row, delta) + givenBack;
  rows.put(row, delta, effect);
  rows.write(row, { credits_delta: effect, status, resolved_at: time(at) });
}
