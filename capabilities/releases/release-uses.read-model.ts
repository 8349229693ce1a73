import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ReadModel } from '#read-store/read-model.js';

/** A job that was queued under a release. Its end is in the read model of jobs. */
@Entity('release_uses')
@Index('release_uses_by_time', ['releaseId', 'usedAt', 'jobId'])
@Index('release_uses_by_job', ['jobId'])
export class ReleaseUseRow {
  @PrimaryColumn({ type: 'text' })
  releaseId: string;

  @PrimaryColumn({ type: 'text' })
  jobId: string;

  @Column({ type: 'text' })
  tenant: string;

  /** The revision of the release whose terms permitted the job. */
  @Column({ type: 'integer' })
  releaseRevision: number;

  @Column({ type: 'text' })
  operation: string;

  /** The parent of a batch is no use of its own: its photographs are. */
  @Column({ type: 'text' })
  kind: 'job' | 'batch';

  @Column({ type: 'timestamptz' })
  usedAt: Date;
}

export const releaseUsesReadModel: ReadModel<ReleaseUseRow> = {
  name: 'release_uses',
  version: 1,
  entity: ReleaseUseRow,
  categories: ['job'],
  rowsNeverChange: true,
  keysOf: (event) => {
    if (event.type !== 'JobQueued' || !event.data.permits) return [];
    const releases = new Set(event.data.permits.flatMap((permit) => parsePermit(permit)?.releaseId ?? []));
    return [...releases].map((releaseId) => [releaseId, event.streamId]);
  },
  evolve: (row, event, [key]) => {
    if (row || event.type !== 'JobQueued') return row;
    const { permits = [], jobId, tenant, operation, childJobIds, at } = event.data;
    const permit = permits.map(parsePermit).find((each) => each?.releaseId === key);
    if (!permit) return undefined;
    const { releaseId, revision: releaseRevision } = permit;
    const kind = childJobIds === undefined ? 'job' : 'batch';
    return { releaseId, jobId, tenant, releaseRevision, operation, kind, usedAt: new Date(at) };
  },
};

/** Names a release and its terms at one revision, as a job stores it: `{release}@{revision}`. */
export function permitOf(releaseId: string, revision: bigint): string {
  return `${releaseId}@${revision}`;
}

/** Undefined for a permit of another capability. */
export function parsePermit(permit: string | null): { releaseId: string; revision: number } | undefined {
  const [, releaseId, revision] = /^([0-9A-Z]{26})@(\d+)$/.exec(permit ?? '') ?? [];
  return releaseId === undefined ? undefined : { releaseId, revision: Number(revision) };
}
