import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { erasedText } from '#domain/erased.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';

/**
 * The finished picture of a job. The row exists as soon as the job is queued, but without a picture, because
 * only JobQueued has its tenant and type. It disappears if the job ends without a final picture.
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

  @Column({ type: 'timestamptz', nullable: true })
  erasedAt: Date | null;
}

/** A row that readers show: it has its picture, which may be erased. */
export type FinishedRender = {
  [Property in Exclude<keyof RenderRow, 'erasedAt'>]: NonNullable<RenderRow[Property]>;
} & Pick<RenderRow, 'erasedAt'>;

export const rendersReadModel: ReadModel<RenderRow> = {
  name: 'renders',
  version: 1,
  entity: RenderRow,
  categories: ['job'],
  keysOf: (event) => (concerns(event) ? [[event.streamId]] : []),
  evolve,
};

function concerns({ type }: ProjectedEvent): boolean {
  return type === 'JobQueued' || type === 'JobErased' || isEnd(type);
}

function isEnd(type: ProjectedEvent['type']): boolean {
  return type === 'JobSucceeded' || type === 'JobFailed' || type === 'JobCancelled';
}

function evolve(row: RenderRow | undefined, event: ProjectedEvent): RenderRow | undefined {
  switch (event.type) {
    case 'JobQueued':
      return {
        publicId: event.data.jobId,
        tenant: event.data.tenant,
        jobType: event.data.jobType,
        label: null,
        kind: null,
        width: null,
        height: null,
        storageKey: null,
        assetId: null,
        contentType: null,
        sha256: null,
        createdAt: null,
        erasedAt: null,
      };
    case 'JobSucceeded':
      return finished(row, event);
    case 'JobFailed':
    case 'JobCancelled':
      return undefined;
    case 'JobErased':
      return row && erased(row, event);
    default:
      throw new Error(`${event.type} does not belong in the renders gallery`);
  }
}

function erased(row: RenderRow, { data }: Extract<ProjectedEvent, { type: 'JobErased' }>): RenderRow {
  const isErased = row.assetId !== null && data.assetIds.includes(row.assetId);
  if (!isErased && !data.words) return row;
  const kept = { ...row, label: erasedText, sha256: erasedText };
  return isErased ? { ...kept, erasedAt: row.erasedAt ?? new Date(data.at) } : kept;
}

/** A job appears once in the gallery, with its first final picture. */
function finished(
  row: RenderRow | undefined,
  event: Extract<ProjectedEvent, { type: 'JobSucceeded' }>,
): RenderRow | undefined {
  if (!row) throw new Error(`JobSucceeded came before JobQueued in ${event.stream}`);
  const picture = event.data.artifacts.find((artifact) => artifact.role === 'final');
  if (!picture) return undefined;
  const { label, kind, width, height, storageKey, assetId, contentType, sha256 } = picture;
  const createdAt = new Date(event.data.at);
  return { ...row, label, kind, width, height, storageKey, assetId, contentType, sha256, createdAt };
}
