import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ReadModel } from '#read-store/read-model.js';
import { erasedWords, type ReleaseFee } from './release.events.js';

/** A person's consent to the use of pictures. */
@Entity('releases')
@Index('releases_by_tenant', ['tenant', 'grantedAt', 'releaseId'])
@Index('releases_by_data_subject', ['tenant', 'dataSubject', 'grantedAt', 'releaseId'])
@Index('releases_by_expiry', ['expiresAt'], { where: "status = 'active' AND expires_at IS NOT NULL" })
export class ReleaseRow {
  @PrimaryColumn({ type: 'text' })
  releaseId: string;

  @Column({ type: 'text' })
  tenant: string;

  /** The person, by the tenant's name. */
  @Column({ type: 'text' })
  dataSubject: string;

  /** Empty: all. So are the next two. */
  @Column({ type: 'jsonb' })
  workflows: string[];

  @Column({ type: 'jsonb' })
  uses: string[];

  @Column({ type: 'jsonb' })
  territories: string[];

  @Column({ type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  @Column({ type: 'jsonb', nullable: true })
  fee: ReleaseFee | null;

  @Column({ type: 'text', nullable: true })
  document: string | null;

  @Column({ type: 'text' })
  status: 'active' | 'withdrawn' | 'expired';

  @Column({ type: 'timestamptz' })
  grantedAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  endedAt: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  erasedAt: Date | null;

  /** Revision of the last event in this row. */
  @Column({ type: 'integer' })
  revision: number;
}

export const releasesReadModel: ReadModel<ReleaseRow> = {
  name: 'releases',
  version: 1,
  entity: ReleaseRow,
  categories: ['release'],
  keysOf: (event) => [[event.streamId]],
  evolve: (row, event) => {
    const revision = Number(event.revision);
    if (event.type === 'ModelReleaseGranted') {
      const { at, expiresAt, ...granted } = event.data;
      const times = { expiresAt: dateOf(expiresAt), grantedAt: new Date(at), endedAt: null, erasedAt: null };
      return { ...granted, ...times, status: 'active', revision };
    }
    if (!row) throw new Error(`${event.type} came before ModelReleaseGranted in ${event.stream}`);
    switch (event.type) {
      case 'ModelReleaseRevised': {
        const { at: _at, expiresAt, ...terms } = event.data;
        return { ...row, ...terms, expiresAt: dateOf(expiresAt), revision };
      }
      case 'ModelReleaseWithdrawn':
        return { ...row, status: 'withdrawn', endedAt: new Date(event.data.at), revision };
      case 'ModelReleaseExpired':
        return { ...row, status: 'expired', endedAt: new Date(event.data.at), revision };
      case 'ModelReleaseErased': {
        const erasedAt = new Date(event.data.at);
        const ended = row.status === 'active' && ({ status: 'withdrawn', endedAt: erasedAt } as const);
        return { ...row, ...ended, ...erasedWords(row), erasedAt, revision };
      }
      default:
        throw new Error(`${event.type} does not belong in ${event.stream}`);
    }
  },
};

const dateOf = (time: string | null): Date | null => (time === null ? null : new Date(time));

/** Whether a tenant requires releases, and for what it uses pictures. */
@Entity('release_rules')
export class ReleaseRuleRow {
  @PrimaryColumn({ type: 'text' })
  tenant: string;

  @Column({ type: 'text' })
  releases: 'required' | 'optional';

  @Column({ type: 'jsonb' })
  uses: string[];

  @Column({ type: 'jsonb' })
  territories: string[];

  /** Revision of the last event in this row. */
  @Column({ type: 'integer' })
  revision: number;
}

export const releaseRulesReadModel: ReadModel<ReleaseRuleRow> = {
  name: 'release_rules',
  version: 1,
  entity: ReleaseRuleRow,
  categories: ['consent'],
  keysOf: (event) => [[event.streamId]],
  evolve: (_row, event) => {
    if (event.type !== 'ReleasesRequired' && event.type !== 'ReleasesMadeOptional')
      throw new Error(`${event.type} does not belong in ${event.stream}`);
    const { uses, territories } = event.data;
    const releases = event.type === 'ReleasesRequired' ? 'required' : 'optional';
    return { tenant: event.streamId, releases, uses, territories, revision: Number(event.revision) };
  },
};
