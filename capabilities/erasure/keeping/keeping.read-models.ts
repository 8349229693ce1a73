import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { DomainEventType } from '#domain/events.js';
import type { ProjectedEvent } from '#read-store/projected-event.js';
import type { ReadModel } from '#read-store/read-model.js';
import { expiringTopic } from '../expiring.notice.js';
import { keptKinds, type KeptKind } from '../keeping.events.js';

const dayMs = 24 * 60 * 60_000;

/** A thing that is still there, and since when. The row goes when the thing is erased. */
@Entity('kept_things')
@Index('kept_things_by_age', ['tenant', 'kind', 'since', 'thingId'], { where: 'since IS NOT NULL' })
@Index('kept_things_by_own_end', ['ownEnd', 'thingId'], { where: 'own_end IS NOT NULL' })
export class KeptThingRow {
  /** The category of its stream. */
  @PrimaryColumn({ type: 'text' })
  category: 'asset' | 'job' | 'product';

  @PrimaryColumn({ type: 'text' })
  thingId: string;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'text' })
  kind: KeptKind;

  /** The job whose words they are, or that made the picture. */
  @Column({ type: 'text', nullable: true })
  jobId: string | null;

  /** When the picture was stored, the job ended, or the product last changed. Null: the job has not ended. */
  @Column({ type: 'timestamptz', nullable: true })
  since: Date | null;

  /** `retain_days` of the upload or of the job. */
  @Column({ type: 'integer', nullable: true })
  retainDays: number | null;

  /** When these days are over. */
  @Column({ type: 'timestamptz', nullable: true })
  ownEnd: Date | null;
}

export const keptThings = 'kept_things';

/** Most events of a job change nothing here, so that its row is written twice. */
const concerning: ReadonlySet<DomainEventType> = new Set([
  'AssetStored',
  'PictureErased',
  'JobQueued',
  'JobSucceeded',
  'JobFailed',
  'JobCancelled',
  'JobErased',
  'ProductRegistered',
  'ProductRevised',
  'ProductErased',
]);

export const keptThingsReadModel: ReadModel<KeptThingRow> = {
  name: keptThings,
  version: 1,
  entity: KeptThingRow,
  categories: ['asset', 'job', 'product'],
  keysOf: ({ category, streamId, type }) => (concerning.has(type) ? [[category, streamId]] : []),
  evolve: (row, event) => {
    switch (event.type) {
      case 'AssetStored': {
        const { assetId, origin, role, jobId, retainDays, at } = event.data;
        // An earlier release did not say which part a picture of a job has.
        const kind = origin === 'upload' ? 'uploads' : role === 'intermediate' ? 'intermediates' : 'finals';
        return row ?? keptSince(at, { ...thing(event, 'asset', assetId, kind, retainDays), jobId });
      }
      case 'JobQueued': {
        const { jobId, retainDays } = event.data;
        return { ...thing(event, 'job', jobId, 'words', retainDays), jobId };
      }
      case 'JobSucceeded':
      case 'JobFailed':
      case 'JobCancelled':
        return row && keptSince(event.data.at, row);
      case 'ProductRegistered':
        return keptSince(event.data.at, thing(event, 'product', event.streamId, 'words'));
      case 'ProductRevised':
        return row && keptSince(event.data.at, row);
      case 'PictureErased':
        return undefined;
      case 'JobErased':
      case 'ProductErased':
        return event.data.words ? undefined : row;
      default:
        throw new Error(`${event.type} does not concern what is kept`);
    }
  },
};

function thing(
  { metadata: { tenant } }: ProjectedEvent,
  category: KeptThingRow['category'],
  thingId: string,
  kind: KeptKind,
  retainDays: number | null = null,
): KeptThingRow {
  return { category, thingId, tenant, kind, jobId: null, since: null, retainDays, ownEnd: null };
}

function keptSince(at: string, row: KeptThingRow): KeptThingRow {
  const since = new Date(at);
  const { retainDays } = row;
  return {
    ...row,
    since,
    ownEnd: retainDays === null ? null : new Date(since.getTime() + retainDays * dayMs),
  };
}

/** Things whose erasure was ordered because their time was over. */
@Entity('expiry_orders')
export class ExpiryOrderRow {
  @PrimaryColumn({ type: 'text' })
  thingId: string;

  /** A thing is ordered once. Two orders can only exist after a restore. */
  @PrimaryColumn({ type: 'text' })
  erasureId: string;
}

export const expiryOrders = 'expiry_orders';

/** `by` in the request of an erasure that follows from the rule. */
export const byRetention = 'retention';

export const expiryOrdersReadModel: ReadModel<ExpiryOrderRow> = {
  name: expiryOrders,
  version: 1,
  entity: ExpiryOrderRow,
  categories: ['erasure'],
  rowPerEvent: true,
  keysOf: (event) =>
    event.type === 'ErasureRequested' && event.data.by === byRetention
      ? event.data.targets.map(({ id }) => [id, event.streamId])
      : [],
  evolve: (_row, _event, [thingId, erasureId]) => ({
    thingId: String(thingId),
    erasureId: String(erasureId),
  }),
};

/** Pictures whose tenant was told that they expire. */
@Entity('expiry_warnings')
export class ExpiryWarningRow {
  @PrimaryColumn({ type: 'text' })
  assetId: string;

  @PrimaryColumn({ type: 'text' })
  noticeId: string;
}

export const expiryWarnings = 'expiry_warnings';

export const expiryWarningsReadModel: ReadModel<ExpiryWarningRow> = {
  name: expiryWarnings,
  version: 1,
  entity: ExpiryWarningRow,
  categories: ['notice'],
  rowPerEvent: true,
  keysOf: (event) =>
    event.type === 'NoticeGiven' && event.data.topic === expiringTopic
      ? [[String(event.data.content['asset_id']), event.streamId]]
      : [],
  evolve: (_row, _event, [assetId, noticeId]) => ({ assetId: String(assetId), noticeId: String(noticeId) }),
};

/** The own rule of a tenant for one kind. */
@Entity('retention_rules')
export class RetentionRuleRow {
  @PrimaryColumn({ type: 'text' })
  tenant: string;

  @PrimaryColumn({ type: 'text' })
  kind: KeptKind;

  /** Null: the operator's default. */
  @Column({ type: 'integer', nullable: true })
  days: number | null;
}

export const retentionRules = 'retention_rules';

export const retentionRulesReadModel: ReadModel<RetentionRuleRow> = {
  name: retentionRules,
  version: 1,
  entity: RetentionRuleRow,
  categories: ['retention'],
  keysOf: ({ streamId }) => keptKinds.map((kind) => [streamId, kind]),
  evolve: (row, event, [tenant, kind]) => {
    if (event.type !== 'RetentionRuleChanged') return row;
    const own = kind as KeptKind;
    return { tenant: String(tenant), kind: own, days: event.data.days[own] };
  },
};

/** A hold that is in force. */
@Entity('legal_holds')
@Index('legal_holds_by_tenant', ['tenant'])
export class LegalHoldRow {
  @PrimaryColumn({ type: 'text' })
  holdId: string;

  @Column({ type: 'text' })
  tenant: string;

  @Column({ type: 'text', nullable: true })
  jobId: string | null;

  /** The person, by the tenant's name. */
  @Column({ type: 'text', nullable: true })
  dataSubject: string | null;
}

export const legalHolds = 'legal_holds';

export const legalHoldsReadModel: ReadModel<LegalHoldRow> = {
  name: legalHolds,
  version: 1,
  entity: LegalHoldRow,
  categories: ['hold'],
  keysOf: (event) =>
    event.type === 'LegalHoldPlaced' || event.type === 'LegalHoldLifted' ? [[event.data.holdId]] : [],
  evolve: (_row, event) => {
    if (event.type !== 'LegalHoldPlaced') return undefined;
    const { holdId, jobId, dataSubject } = event.data;
    return { holdId, tenant: event.streamId, jobId, dataSubject };
  },
};

export const keepingReadModels = [
  keptThingsReadModel,
  expiryOrdersReadModel,
  expiryWarningsReadModel,
  retentionRulesReadModel,
  legalHoldsReadModel,
] as const;
