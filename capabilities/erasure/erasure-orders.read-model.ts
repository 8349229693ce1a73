import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';

/** An ordered erasure in lists. The steps and the receipt are read from its own stream. */
@Entity('erasure_orders')
@Index('erasure_orders_by_tenant', ['tenant', 'requestedAt', 'erasureId'])
@Index('erasure_orders_running', ['requestedAt'], { where: "status = 'running'" })
@Index('erasure_orders_at_vendors', ['vendorsToldAt'], { where: 'vendors_told_at IS NOT NULL' })
export class ErasureOrderRow {
  @PrimaryColumn({ type: 'text' })
  erasureId: string;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'text' })
  status: 'running' | 'completed';

  /** Who ordered it. */
  @Column({ type: 'text' })
  by: string;

  /** How many things the order names. */
  @Column({ type: 'integer' })
  targets: number;

  @Column({ type: 'timestamptz' })
  requestedAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  completedAt: Date | null;

  /** Since when a worker has vendors delete calls of the jobs. Null: there is no call to delete, or no longer. */
  @Column({ type: 'timestamptz', nullable: true })
  vendorsToldAt: Date | null;
}

export const erasureOrdersReadModel: ReadModel<ErasureOrderRow> = {
  name: 'erasure_orders',
  version: 1,
  entity: ErasureOrderRow,
  categories: ['erasure'],
  keysOf: ({ streamId }) => [[streamId]],
  evolve,
};

function evolve(row: ErasureOrderRow | undefined, event: ProjectedEvent): ErasureOrderRow {
  if (event.type === 'ErasureRequested') {
    const { erasureId, tenant, targets, by, at } = event.data;
    const begun = { erasureId, tenant, status: 'running', by, targets: targets.length } as const;
    return { ...begun, requestedAt: new Date(at), completedAt: null, vendorsToldAt: null };
  }
  if (!row) throw new Error(`${event.type} came before ErasureRequested in ${event.stream}`);
  switch (event.type) {
    case 'ErasureStepped':
      return event.data.step === 'vendors' ? { ...row, vendorsToldAt: new Date(event.data.at) } : row;
    case 'ErasureCompleted':
      return { ...row, status: 'completed', completedAt: new Date(event.data.at) };
    case 'ErasureVendorsAnswered':
      return { ...row, vendorsToldAt: null };
    default:
      throw new Error(`${event.type} does not belong in ${event.stream}`);
  }
}
