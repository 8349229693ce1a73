import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { CatalogResource } from '#domain/catalog/catalog.js';

/** A building block for further pictures that a job of this tenant made: a model, a background, a garment, a shot. */
@Entity('catalog')
@Index('catalog_by_tenant', ['tenant', 'resource', 'createdAt', 'assetId'])
export class CatalogRow {
  /** Of its picture, which is also the entry's own id. */
  @PrimaryColumn({ type: 'text' })
  assetId: string;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'text' })
  resource: CatalogResource;

  /** Of the artifact. */
  @Column({ type: 'text' })
  kind: string;

  @Column({ type: 'text' })
  label: string;

  @Column({ type: 'text' })
  storageKey: string;

  @Column({ type: 'integer' })
  width: number;

  @Column({ type: 'integer' })
  height: number;

  /** What the artifact's `meta` said. */
  @Column({ type: 'jsonb' })
  attributes: Record<string, unknown>;

  /** The job that made it. */
  @Column({ type: 'text' })
  jobId: string;

  /** When that job succeeded. */
  @Column({ type: 'timestamptz' })
  createdAt: Date;
}
