import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { PurchaseKind } from '#domain/account/account.events.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';

export type LedgerKind = 'operation' | 'correction' | PurchaseKind;
export type LedgerStatus = 'PENDING' | 'SUCCESS' | 'REFUNDED' | 'PURCHASED' | 'CORRECTED';

/**
 * One charge, one purchase or one correction. At any revision of an account the deltas of its rows sum to its
 * balance.
 */
@Entity('ledger')
@Index('ledger_by_tenant', ['tenant', 'revision'])
@Index('ledger_open_charges', ['createdAt', 'id'], { where: "status = 'PENDING'" })
export class LedgerRow {
  /** The charge's or the purchase's id. */
  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'text' })
  kind: LedgerKind;

  /** The endpoint of an operation, the description of a purchase, or the reason of a correction. */
  @Column({ type: 'text' })
  label: string;

  /** The charged or bought credits; always positive. */
  @Column({ type: 'integer' })
  amount: number;

  /** The change of the balance: −(charged − refunded), −corrected, or +purchased. */
  @Column({ type: 'integer' })
  creditsDelta: number;

  @Column({ type: 'text' })
  status: LedgerStatus;

  @Column({ type: 'text', nullable: true })
  jobId: string | null;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  resolvedAt: Date | null;

  /** Revision of the account's stream at which the row appeared. It orders the ledger without ties. */
  @Column({ type: 'integer' })
  revision: number;
}

export const ledgerReadModel: ReadModel<LedgerRow> = {
  name: 'ledger',
  version: 1,
  entity: LedgerRow,
  categories: ['account'],
  keysOf: (event) => {
    switch (event.type) {
      case 'CreditsPurchased':
        return [[event.data.purchaseId]];
      case 'CreditsCorrected':
        return [[event.data.correctionId]];
      case 'CreditsDebited':
      case 'CreditsSettled':
      case 'CreditsRefunded':
        return [[event.data.chargeId]];
      default:
        return [];
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
    case 'CreditsCorrected': {
      const { correctionId: id, reason: label, amount } = event.data;
      const row = { ...opened(event), id, label, amount, creditsDelta: -amount };
      return { ...row, kind: 'correction', status: 'CORRECTED' };
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
