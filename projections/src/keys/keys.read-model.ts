import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Capability } from '#domain/key/key.events.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';

/** An API key as operators see it. Only the event has the hash of its secret. */
@Entity('keys')
@Index('keys_by_tenant', ['tenant', 'issuedAt', 'keyId'])
export class KeyRow {
  @PrimaryColumn({ type: 'text' })
  keyId: string;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'jsonb' })
  capabilities: Capability[];

  @Column({ type: 'text' })
  label: string;

  @Column({ type: 'timestamptz' })
  issuedAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  revokedAt: Date | null;

  /** When a rotated key stops working, or stopped. */
  @Column({ type: 'timestamptz', nullable: true })
  retiresAt: Date | null;
}

export const keysReadModel: ReadModel<KeyRow> = {
  name: 'keys',
  version: 2,
  entity: KeyRow,
  categories: ['key'],
  keysOf: (event) => [[event.streamId]],
  evolve,
};

function evolve(row: KeyRow | undefined, event: ProjectedEvent): KeyRow | undefined {
  switch (event.type) {
    case 'ApiKeyIssued': {
      const { keyId, tenant, capabilities, label, at } = event.data;
      return { keyId, tenant, capabilities, label, issuedAt: new Date(at), revokedAt: null, retiresAt: null };
    }
    case 'ApiKeyRetired':
      if (!row) throw new Error(`ApiKeyRetired came before ApiKeyIssued in ${event.stream}`);
      return { ...row, retiresAt: new Date(event.data.retiresAt) };
    case 'ApiKeyRevoked':
      if (!row) throw new Error(`ApiKeyRevoked came before ApiKeyIssued in ${event.stream}`);
      return { ...row, revokedAt: new Date(event.data.at) };
    default:
      throw new Error(`${event.type} does not belong in ${event.stream}`);
  }
}
