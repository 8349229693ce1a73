import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';
import { LedgerRow } from './ledger.entity.js';

export const ledgerReadModel: ReadModel<LedgerRow> = {
  name: 'ledger',
  version: 1,
  entity: LedgerRow,
  categories: ['account'],
  keyOf: (event) => {
    switch (event.type) {
      case 'CreditsPurchased':
        return [event.data.purchaseId];
      case 'CreditsDebited':
      case 'CreditsSettled':
      case 'CreditsRefunded':
        return [event.data.chargeId];
      default:
        return undefined;
    }
  },
  evolve,
};

function evolve(row: LedgerRow | undefined, event: ProjectedEvent): LedgerRow | undefined {
  switch (event.type) {
    case 'CreditsPurchased': {
      const { purchaseId: id, kind, label, amount } = event.data;
      return { ...opened(event), id, kind, label, amount, creditsDelta: amount, status: 'PURCHASED' };
    }
    case 'CreditsDebited': {
      const { chargeId: id, endpoint: label, amount, jobId } = event.data;
      const kind = 'operation';
      return { ...opened(event), id, kind, label, amount, creditsDelta: -amount, status: 'PENDING', jobId };
    }
    case 'CreditsSettled':
      return { ...known(row, event), status: 'SUCCESS', resolvedAt: new Date(event.data.at) };
    case 'CreditsRefunded': {
      const charge = known(row, event);
      return {
        ...charge,
        creditsDelta: charge.creditsDelta + event.data.amount,
        status: 'REFUNDED',
        resolvedAt: new Date(event.data.at),
      };
    }
    default:
      throw new Error(`${event.type} does not belong in the ledger`);
  }
}

function opened(
  event: ProjectedEvent,
): Pick<LedgerRow, 'tenant' | 'jobId' | 'createdAt' | 'resolvedAt' | 'revision'> {
  return {
    tenant: event.streamId,
    jobId: null,
    createdAt: new Date(event.data.at),
    resolvedAt: null,
    revision: Number(event.revision),
  };
}

function known(row: LedgerRow | undefined, event: ProjectedEvent): LedgerRow {
  if (!row) throw new Error(`${event.type} of a charge that was never debited, in ${event.stream}`);
  return row;
}
