import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { PurchaseKind } from '#domain/account/account.events.js';

export type LedgerKind = 'operation' | PurchaseKind;
export type LedgerStatus = 'PENDING' | 'SUCCESS' | 'REFUNDED' | 'PURCHASED';

/** One charge or one purchase. At any revision of an account the deltas of its rows sum to its balance. */
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

  /** The endpoint of an operation, the description of a purchase. */
  @Column({ type: 'text' })
  label: string;

  /** What was charged or bought, in credits; always positive. */
  @Column({ type: 'integer' })
  amount: number;

  /** What it does to the balance: −(charged − refunded), or +purchased. */
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

  /** Revision of the account's stream at which the row appeared: the order of the ledger, without ties. */
  @Column({ type: 'integer' })
  revision: number;
}
