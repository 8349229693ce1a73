import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';

/** A tenant that is being closed, or was. A cancelled closing has no row. */
@Entity('closings')
export class ClosingRow {
  @PrimaryColumn({ type: 'text' })
  tenant: string;

  @Column({ type: 'text' })
  status: 'proposed' | 'notice' | 'erasing' | 'closed';

  @Column({ type: 'text' })
  proposedBy: string;

  @Column({ type: 'timestamptz' })
  proposedAt: Date;

  @Column({ type: 'integer' })
  noticeDays: number;

  @Column({ type: 'text', nullable: true })
  approvedBy: string | null;

  /** The end of the notice period. */
  @Column({ type: 'timestamptz', nullable: true })
  dueAt: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  closedAt: Date | null;
}

export const closingsReadModel: ReadModel<ClosingRow> = {
  name: 'closings',
  version: 1,
  entity: ClosingRow,
  categories: ['closing'],
  keysOf: ({ streamId }) => [[streamId]],
  evolve,
};

function evolve(row: ClosingRow | undefined, event: ProjectedEvent): ClosingRow | undefined {
  if (event.type === 'TenantClosingProposed') {
    const { tenant, noticeDays, by, at } = event.data;
    const proposed = { tenant, status: 'proposed', proposedBy: by, noticeDays } as const;
    return { ...proposed, proposedAt: new Date(at), approvedBy: null, dueAt: null, closedAt: null };
  }
  if (!row) throw new Error(`${event.type} came before TenantClosingProposed in ${event.stream}`);
  switch (event.type) {
    case 'TenantClosingApproved':
      return { ...row, status: 'notice', approvedBy: event.data.by, dueAt: new Date(event.data.dueAt) };
    case 'TenantClosingCancelled':
      return undefined;
    case 'TenantClosingBegun':
      return { ...row, status: 'erasing' };
    case 'TenantClosed':
      return { ...row, status: 'closed', closedAt: new Date(event.data.at) };
    default:
      throw new Error(`${event.type} does not belong in ${event.stream}`);
  }
}
