import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { resourceOf, type CatalogResource } from '#domain/catalog/catalog.js';
import { erasedText } from '#domain/erased.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';

/**
 * A building block for further pictures, made by a job of this tenant: a model, a background, a garment, a
 * shot.
 */
@Entity('catalog')
@Index('catalog_by_tenant', ['tenant', 'resource', 'createdAt', 'assetId'])
export class CatalogRow {
  /** The id of its picture, and also of the entry. */
  @PrimaryColumn({ type: 'text' })
  assetId: string;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'text' })
  resource: CatalogResource;

  /** The artifact's kind. */
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

  /** The artifact's `meta`. */
  @Column({ type: 'jsonb' })
  attributes: Record<string, unknown>;

  /** The job that made it. */
  @Column({ type: 'text' })
  jobId: string;

  /** When that job succeeded. */
  @Column({ type: 'timestamptz' })
  createdAt: Date;

  /** When it was taken out of the catalogue. */
  @Column({ type: 'timestamptz', nullable: true })
  retiredAt: Date | null;
}

/**
 * The event of a job's success also puts its results into the catalogue (ADR 8). The tenant or the operator retires
 * them.
 */
export const catalogReadModel: ReadModel<CatalogRow> = {
  name: 'catalog',
  version: 1,
  entity: CatalogRow,
  categories: ['job', 'asset'],
  keysSpanStreams: true,
  keysOf: (event) => {
    if (event.type === 'CatalogEntryRetired') return [[event.streamId]];
    if (event.type === 'JobErased') {
      const { assetIds, describedAssetIds = [] } = event.data;
      return [...assetIds, ...describedAssetIds].map((assetId) => [assetId]);
    }
    return [...entriesOf(event).keys()].map((assetId) => [assetId]);
  },
  evolve: (row, event, [assetId]) => {
    // The row stays: without it, the later end of a batch's parent would bring the entry back.
    if (event.type === 'CatalogEntryRetired') return row && { ...row, retiredAt: new Date(event.data.at) };
    if (event.type === 'JobErased') {
      if (!row) return undefined;
      const { assetIds, at } = event.data;
      return assetIds.includes(row.assetId) ? erasedEntry(row, new Date(at)) : { ...row, ...withoutWords };
    }
    // A picture enters the catalogue once. The parent of a batch shows its children's pictures again, which
    // changes nothing.
    return row ?? rowOf(event, String(assetId));
  },
};

/** The words about a picture. */
const withoutWords = { label: erasedText, attributes: {} };

/** An erased entry is no longer listed. */
function erasedEntry(row: CatalogRow, at: Date): CatalogRow {
  return { ...row, ...withoutWords, retiredAt: row.retiredAt ?? at };
}

function entriesOf(event: ProjectedEvent): Map<string, JobArtifact> {
  const artifacts = event.type === 'JobSucceeded' ? event.data.artifacts : [];
  return new Map(
    artifacts.filter(({ kind }) => resourceOf(kind)).map((artifact) => [artifact.assetId, artifact]),
  );
}

function rowOf(event: ProjectedEvent, assetId: string): CatalogRow | undefined {
  const entry = entriesOf(event).get(assetId);
  const resource = entry && resourceOf(entry.kind);
  if (!resource) return undefined;
  const { kind, label, storageKey, width, height, meta } = entry;
  return {
    assetId,
    resource,
    kind,
    label,
    storageKey,
    width,
    height,
    tenant: event.metadata.tenant,
    attributes: meta,
    jobId: event.streamId,
    createdAt: new Date(event.data.at),
    retiredAt: null,
  };
}
