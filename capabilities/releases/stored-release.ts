import type { KnownRelease } from './release.js';
import type { ReleaseRow } from './releases.read-model.js';

/** A row with the names of its columns. Times are dates, or texts in a row that came as JSON. */
export interface StoredRelease extends Pick<
  ReleaseRow,
  'tenant' | 'workflows' | 'uses' | 'territories' | 'fee' | 'document' | 'status' | 'revision'
> {
  readonly release_id: string;
  readonly data_subject: string;
  readonly expires_at: Date | string | null;
  readonly granted_at: Date | string;
  readonly ended_at: Date | string | null;
  readonly erased_at: Date | string | null;
}

export function releaseOfRow(row: StoredRelease): KnownRelease {
  const { tenant, workflows, uses, territories, fee, document, status } = row;
  return {
    releaseId: row.release_id,
    tenant,
    dataSubject: row.data_subject,
    workflows,
    uses,
    territories,
    expiresAt: isoOf(row.expires_at),
    fee,
    document,
    status,
    grantedAt: new Date(row.granted_at).toISOString(),
    endedAt: isoOf(row.ended_at),
    ...(row.erased_at !== null && { erasedAt: new Date(row.erased_at).toISOString() }),
  };
}

const isoOf = (time: Date | string | null): string | null => time && new Date(time).toISOString();
