import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The finished picture of a job. The row is there, without a picture, as soon as the job is queued: who it belongs to
 * and its type are said in JobQueued only. It disappears when the job ends without a final picture.
 */
@Entity('renders')
@Index('renders_by_tenant', ['tenant', 'createdAt', 'publicId'], { where: 'storage_key IS NOT NULL' })
export class RenderRow {
  /** The job's id. */
  @PrimaryColumn({ type: 'text' })
  publicId: string;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'text' })
  jobType: string;

  // The rest is null while the job is unfinished; such rows are not shown.
  @Column({ type: 'text', nullable: true })
  label: string | null;

  @Column({ type: 'text', nullable: true })
  kind: string | null;

  @Column({ type: 'integer', nullable: true })
  width: number | null;

  @Column({ type: 'integer', nullable: true })
  height: number | null;

  @Column({ type: 'text', nullable: true })
  storageKey: string | null;

  @Column({ type: 'text', nullable: true })
  assetId: string | null;

  @Column({ type: 'text', nullable: true })
  contentType: string | null;

  /** SHA-256 of the bytes, hexadecimal. */
  @Column({ type: 'text', nullable: true })
  sha256: string | null;

  /** When the picture was finished. */
  @Column({ type: 'timestamptz', nullable: true })
  createdAt: Date | null;
}

/** A row that readers show: it has its picture. */
export type FinishedRender = { [Property in keyof RenderRow]: NonNullable<RenderRow[Property]> };
