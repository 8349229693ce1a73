import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { erasedText } from '#domain/erased.js';
import type { ReadModel } from '#read-store/read-model.js';

/** A stored picture, from an upload or a job. */
@Entity('assets')
@Index('assets_by_storage_key', ['storageKey'])
@Index('assets_by_sha256', ['sha256'])
@Index('assets_by_data_subject', ['dataSubjects'], { type: 'gin', where: 'data_subjects IS NOT NULL' })
@Index('assets_uploads_by_tenant', ['tenant', 'createdAt', 'assetId'], {
  where: "origin = 'upload' AND erased_at IS NULL",
})
@Index('assets_by_job', ['jobId'], { where: 'job_id IS NOT NULL' })
export class AssetRow {
  @PrimaryColumn({ type: 'text' })
  assetId: string;

  @Column({ type: 'text' })
  tenant: string;

  /** The object's key in storage, which is also the caller's `upload_key`. */
  @Column({ type: 'text' })
  storageKey: string;

  @Column({ type: 'text' })
  contentType: string;

  @Column({ type: 'integer' })
  width: number;

  @Column({ type: 'integer' })
  height: number;

  @Column({ type: 'integer' })
  sizeBytes: number;

  /** SHA-256 of the bytes, hexadecimal. */
  @Column({ type: 'text' })
  sha256: string;

  @Column({ type: 'text' })
  origin: 'upload' | 'render';

  /** The job that made it, if a job did. */
  @Column({ type: 'text', nullable: true })
  jobId: string | null;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  /** The persons whom an upload shows, by the tenant's names. Null: none is named. */
  @Column({ type: 'jsonb', nullable: true })
  dataSubjects: string[] | null;

  /** `retain_days` of the upload or of the job. Null: none was given. */
  @Column({ type: 'integer', nullable: true })
  retainDays: number | null;

  @Column({ type: 'timestamptz', nullable: true })
  erasedAt: Date | null;
}

export const assetsReadModel: ReadModel<AssetRow> = {
  name: 'assets',
  version: 1,
  entity: AssetRow,
  categories: ['asset'],
  keysOf: (event) => [[event.streamId]],
  evolve: (row, event) => {
    // The retirement of a catalogue entry does not change its picture.
    if (event.type === 'CatalogEntryRetired') return row;
    if (event.type === 'PictureErased')
      return row && { ...row, ...erasedWords(row), erasedAt: new Date(event.data.at) };
    if (event.type !== 'AssetStored') throw new Error(`${event.type} does not belong in ${event.stream}`);
    const {
      at,
      dataSubjects = null,
      retainDays = null,
      credentials: _,
      role: _role,
      likeness: _likeness,
      ...asset
    } = event.data;
    return row ?? { ...asset, dataSubjects, retainDays, createdAt: new Date(at), erasedAt: null };
  },
};

function erasedWords({ dataSubjects }: AssetRow): Pick<AssetRow, 'sha256' | 'dataSubjects'> {
  return { sha256: erasedText, dataSubjects: dataSubjects && [] };
}
