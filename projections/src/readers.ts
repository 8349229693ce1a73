import {
  In,
  IsNull,
  MoreThan,
  Not,
  type DataSource,
  type ObjectLiteral,
  type SelectQueryBuilder,
} from 'typeorm';
import type { JobsFilter, KeptCall, Page, PageRequest, ProductsFilter } from '#application/read-models.js';
import type { CatalogResource } from '#domain/catalog/catalog.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import { CallRow } from './calls/calls.read-model.js';
import { CatalogRow } from './catalog/catalog.read-model.js';
import { JobRow } from './jobs/jobs.read-model.js';
import { KeyRow } from './keys/keys.read-model.js';
import { PresetRow } from './presets/presets.read-model.js';
import { ProductRow } from './products/products.read-model.js';
import { RenderRow, type FinishedRender } from './renders/renders.read-model.js';
import { TimelineRow } from './timeline/timeline.read-model.js';
import { UsageRow } from './usage/usage.read-model.js';

/*
 * The reads of API and operators from the read models of one environment. Data of another tenant counts as
 * unknown. The ledger has its own reader, which also finds the open charges.
 */

export class JobsReader {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. Undefined if the cursor is not one of the tenant's jobs. */
  async list(tenant: string, filter: JobsFilter): Promise<Page<JobRow> | undefined> {
    const { jobTypes, status, createdAfter, cursor } = filter;
    const query = this.jobs
      .createQueryBuilder('job')
      .where({
        tenant,
        ...(jobTypes && { jobType: In([...jobTypes]) }),
        ...(status && { status }),
        ...(createdAfter && { createdAt: MoreThan(createdAfter) }),
      })
      .orderBy({ 'job.createdAt': 'DESC', 'job.publicId': 'DESC' });
    if (cursor === undefined) return readPage(query, filter);
    const last = await this.find(tenant, cursor);
    const older = '(job.createdAt, job.publicId) < (:createdAt, :publicId)';
    return last && readPage(query.clone().andWhere(older, last), filter, query);
  }

  async find(tenant: string, jobId: string): Promise<JobRow | undefined> {
    return (await this.jobs.findOneBy({ tenant, publicId: jobId })) ?? undefined;
  }

  /** The child jobs of a batch, in the order of its items. */
  children(tenant: string, parentJobId: string): Promise<JobRow[]> {
    return this.jobs.find({ where: { tenant, parentJobId }, order: { childIndex: 'ASC', publicId: 'ASC' } });
  }

  private get jobs() {
    return this.dataSource.getRepository(JobRow);
  }
}

export class TimelineReader {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The public events of a job with `seq` beyond `since`, ascending. Empty for an unknown job and for another
   * tenant's; use {@link JobsReader.find} to learn whether the job exists.
   */
  publicEvents(tenant: string, jobId: string, since = 0): Promise<TimelineRow[]> {
    return this.dataSource.getRepository(TimelineRow).find({
      where: { jobId, tenant, visibility: 'public', seq: MoreThan(since) },
      order: { seq: 'ASC' },
    });
  }
}

/** Pictures that are finished. */
export class RendersReader {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  async list(tenant: string, page: PageRequest): Promise<Page<FinishedRender>> {
    const query = this.renders
      .createQueryBuilder('render')
      .where('render.tenant = :tenant', { tenant })
      .andWhere('render.storageKey is not null')
      .orderBy({ 'render.createdAt': 'DESC', 'render.publicId': 'DESC' });
    // Safe cast: the condition above selects finished renders, and leaves out rows that wait for a picture.
    return (await readPage(query, page)) as Page<FinishedRender>;
  }

  async find(tenant: string, publicId: string): Promise<FinishedRender | undefined> {
    const where = { tenant, publicId, storageKey: Not(IsNull()) };
    // Safe cast: the condition selects finished renders.
    return ((await this.renders.findOneBy(where)) ?? undefined) as FinishedRender | undefined;
  }

  private get renders() {
    return this.dataSource.getRepository(RenderRow);
  }
}

export class CatalogReader {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  list(tenant: string, resource: CatalogResource, page: PageRequest): Promise<Page<CatalogRow>> {
    const query = this.entries
      .createQueryBuilder('entry')
      .where({ tenant, resource, retiredAt: IsNull() })
      .orderBy({ 'entry.createdAt': 'DESC', 'entry.assetId': 'DESC' });
    return readPage(query, page);
  }

  /** The tenant's entries of this resource with these ids, in no particular order. */
  find(tenant: string, resource: CatalogResource, assetIds: readonly string[]): Promise<CatalogRow[]> {
    return this.entries.findBy({ tenant, resource, retiredAt: IsNull(), assetId: In([...assetIds]) });
  }

  /** The entries of all resources, retired ones included, newest first. */
  all(tenant: string): Promise<CatalogRow[]> {
    return this.entries.find({ where: { tenant }, order: { createdAt: 'DESC', assetId: 'DESC' } });
  }

  private get entries() {
    return this.dataSource.getRepository(CatalogRow);
  }
}

export class UsageReader {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  list(tenant: string, page: PageRequest): Promise<Page<UsageRow>> {
    const query = this.dataSource
      .getRepository(UsageRow)
      .createQueryBuilder('usage')
      .where('usage.tenant = :tenant', { tenant })
      .orderBy({ 'usage.createdAt': 'DESC', 'usage.requestId': 'DESC' });
    return readPage(query, page);
  }
}

export class ProductsReader {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  list(tenant: string, { status, externalRef, ...page }: ProductsFilter): Promise<Page<ProductRow>> {
    const query = this.dataSource
      .getRepository(ProductRow)
      .createQueryBuilder('product')
      .where({ tenant, ...(status && { status }), ...(externalRef !== undefined && { externalRef }) })
      .orderBy({ 'product.createdAt': 'DESC', 'product.productId': 'DESC' });
    return readPage(query, page);
  }
}

/** The calls of all tenants, for housekeeping. */
export class CallsReader {
  constructor(private readonly dataSource: DataSource) {}

  async answeredBetween(from: Date, until: Date, limit: number): Promise<KeptCall[]> {
    const query = this.dataSource
      .getRepository(CallRow)
      .createQueryBuilder('call')
      .innerJoin(JobRow, 'job', 'job.publicId = call.jobId and job.finishedAt is not null')
      .where('call.kept > 0 and call.answeredAt >= :from and call.answeredAt < :until', { from, until })
      .orderBy('call.answeredAt')
      .limit(limit);
    // Safe cast: the condition ensures that both fields are set.
    return (await query.getMany()) as KeptCall[];
  }
}

/** Presets belong to the installation, so every tenant sees the same. */
export class PresetsReader {
  constructor(private readonly dataSource: DataSource) {}

  /** The published presets, in the order of their ids. */
  published(kind: PresetKind): Promise<PresetRow[]> {
    return this.presets.find({
      where: { kind, retiredAt: IsNull() },
      order: { presetId: 'ASC' },
    });
  }

  /** Retired ones included, by kind. */
  all(): Promise<PresetRow[]> {
    return this.presets.find({ order: { kind: 'ASC', presetId: 'ASC' } });
  }

  private get presets() {
    return this.dataSource.getRepository(PresetRow);
  }
}

/**
 * The keys that operators list. Authentication reads the key's own stream, and this read model only while the event
 * store is away.
 */
export class KeysReader {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first, revoked ones included. */
  list(tenant: string): Promise<KeyRow[]> {
    return this.dataSource
      .getRepository(KeyRow)
      .find({ where: { tenant }, order: { issuedAt: 'DESC', keyId: 'DESC' } });
  }

  async find(keyId: string): Promise<KeyRow | undefined> {
    return (await this.dataSource.getRepository(KeyRow).findOneBy({ keyId })) ?? undefined;
  }
}

/**
 * Reads a page. The same statement counts the rows, so that page and total belong to the same moment.
 * @param all the query to count, if the page is only a part of it
 */
export async function readPage<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { limit, offset }: PageRequest,
  all = query,
): Promise<Page<Row>> {
  const count = all.clone().select('count(*)').orderBy().getQuery();
  const page = (offset > 0 ? ofKeys(query, { limit, offset }) : query.clone().limit(limit)).addSelect(
    `(${count})`,
    'total',
  );
  const { entities, raw } = await page.getRawAndEntities<{ total: string }>();
  const [first] = raw;
  return { items: entities, total: first ? Number(first.total) : await all.getCount() };
}

/** Counts skipped rows in the index alone, and reads only the rows of the page. */
function ofKeys<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { limit, offset }: PageRequest,
): SelectQueryBuilder<Row> {
  // A query of an entity has a main alias.
  const { primaryColumns } = query.expressionMap.mainAlias!.metadata;
  const key = primaryColumns.map(({ propertyName }) => `${query.alias}.${propertyName}`);
  const page = query.clone().select(key).limit(limit).offset(offset).getQuery();
  return query.clone().andWhere(`(${key.join(', ')}) in (${page})`);
}
