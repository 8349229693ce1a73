import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ReadModel } from '#read-store/read-model.js';

/** A charge, and the key that ordered. */
@Entity('key_charges')
// It has all columns of the sums by key, so that these read no row of the table.
@Index('key_charges_by_time', ['tenant', 'chargedAt', 'keyId', 'amount', 'refunded'])
export class KeyChargeRow {
  @PrimaryColumn({ type: 'text' })
  chargeId: string;

  @Column({ type: 'text' })
  tenant: string;

  /** Null: the event does not name a key. */
  @Column({ type: 'text', nullable: true })
  keyId: string | null;

  /** In credits. */
  @Column({ type: 'integer' })
  amount: number;

  /** In credits. */
  @Column({ type: 'integer' })
  refunded: number;

  @Column({ type: 'timestamptz' })
  chargedAt: Date;
}

export const keyCharges = 'key_charges';

export const keyChargesReadModel: ReadModel<KeyChargeRow> = {
  name: keyCharges,
  version: 1,
  entity: KeyChargeRow,
  categories: ['account'],
  rowPerEvent: true,
  rowsChangedBy: ['CreditsRefunded'],
  keysOf: (event) =>
    event.type === 'CreditsDebited' || event.type === 'CreditsRefunded' ? [[event.data.chargeId]] : [],
  evolve: (row, event) => {
    switch (event.type) {
      case 'CreditsDebited': {
        const { chargeId, amount, at } = event.data;
        const { actor } = event.metadata;
        const keyId = actor.startsWith('key:') ? actor.slice('key:'.length) : null;
        return { chargeId, tenant: event.streamId, keyId, amount, refunded: 0, chargedAt: new Date(at) };
      }
      case 'CreditsRefunded':
        if (!row) throw new Error(`${event.type} of a charge that was never debited, in ${event.stream}`);
        return { ...row, refunded: row.refunded + event.data.amount };
      default:
        throw new Error(`${event.type} concerns no charge of a key`);
    }
  },
};
