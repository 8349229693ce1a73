import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export type UsageStatus = 'PENDING' | 'SUCCESS' | 'FAILED' | 'REFUNDED';

/** One dispatch that was called, accepted or refused. A batch of several charges is one row with their sums. */
@Entity('usage')
@Index('usage_by_tenant', ['tenant', 'createdAt', 'requestId'])
export class UsageRow {
  @PrimaryColumn({ type: 'text' })
  requestId: string;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'text' })
  endpoint: string;

  @Column({ type: 'text' })
  method: string;

  @Column({ type: 'text' })
  status: UsageStatus;

  @Column({ type: 'integer', nullable: true })
  httpStatus: number | null;

  @Column({ type: 'integer' })
  creditsCharged: number;

  @Column({ type: 'integer' })
  creditsRefunded: number;

  /** The job that the request was answered with; null for a refused request. */
  @Column({ type: 'text', nullable: true })
  jobId: string | null;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  /** When the job was queued. */
  @Column({ type: 'timestamptz', nullable: true })
  submittedAt: Date | null;

  /** When the last of its charges was settled or refunded. */
  @Column({ type: 'timestamptz', nullable: true })
  resolvedAt: Date | null;

  /** From created to resolved. */
  @Column({ type: 'integer', nullable: true })
  latencyMs: number | null;

  @Column({ type: 'text', nullable: true })
  errorCode: string | null;

  @Column({ type: 'text', nullable: true })
  errorMessage: string | null;

  /** Charges that are neither settled nor refunded yet. Not shown. */
  @Column({ type: 'integer' })
  openCharges: number;

  /** Charges that were settled. Not shown. */
  @Column({ type: 'integer' })
  settledCharges: number;
}
