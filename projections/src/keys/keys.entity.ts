import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Capability } from '#domain/key/key.events.js';

/** An API key as operators see it. The hash of its secret stays in the event. */
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

  /** When a key that was rotated stops working, or did. */
  @Column({ type: 'timestamptz', nullable: true })
  retiresAt: Date | null;
}
