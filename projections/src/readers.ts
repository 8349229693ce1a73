import {
  In,
  IsNull,
  MoreThan,
  Not,
  type DataSource,
  type FindOptionsWhere,
  type ObjectLiteral,
  type Repository,
  type SelectQueryBuilder,
} from 'typeorm';
import type {
  BelongingsFilter,
  JobsFilter,
  KeptCall,
  Page,
  PageRequest,
  ProductsFilter,
} from '#application/read-models.js';
import type { CatalogResource } from '#domain/catalog/catalog.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import type { EntityClass } from '#read-store/read-model.js';
import { AssetRow } from './assets/assets.read-model.js';
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

/** The base of a reader: the rows of one read model. */
export function readerOf<Row extends ObjectLiteral>(entity: EntityClass<Row>) {
  return class {
    protected readonly rows: Repository<Row>;

    constructor(dataSource: DataSource) {
      this.rows = dataSource.getRepository(entity);
    }

    /** Newest first, by these columns. */
    protected newest(
      where: FindOptionsWhere<Row>,
      ...columns: (keyof Row & string)[]
    ): SelectQueryBuilder<Row> {
      const order = columns.map((column) => [`shown.${column}`, 'DESC'] as const);
      return this.rows.createQueryBuilder('shown').where(where).orderBy(Object.fromEntries(order));
    }
  };
}

export class JobsReader extends readerOf(JobRow) {
  /** Newest first. Undefined if the cursor is not one of the tenant's jobs. */
  async list(tenant: string, filter: JobsFilter): Promise<Page<JobRow> | undefined> {
    const { jobTypes, status, createdAfter, cursor } = filter;
    const where = {
      tenant,
      ...(jobTypes && { jobType: In([...jobTypes]) }),
      ...(status && { status }),
      ...(createdAfter && { createdAt: MoreThan(createdAfter) }),
    };
    const query = this.newest(where, 'createdAt', 'publicId');
    if (cursor === undefined) return readPage(query, filter);
    const last = await this.find(tenant, cursor);
    const older = '(shown.createdAt, shown.publicId) < (:createdAt, :publicId)';
    return last && readPage(query.clone().andWhere(older, last), filter, query);
  }

  async find(tenant: string, jobId: string): Promise<JobRow | undefined> {
    return (await this.rows.findOneBy({ tenant, publicId: jobId })) ?? undefined;
  }

  /** The child jobs of a batch, in the order of its items. */
  children(tenant: string, parentJobId: string): Promise<JobRow[]> {
    return this.rows.find({ where: { tenant, parentJobId }, order: { childIndex: 'ASC', publicId: 'ASC' } });
  }

  /** Jobs that were erased since then, and cancelled in the hour before: a worker may have drawn on. */
  cancelledAndErased(since: Date): Promise<JobRow[]> {
    return this.rows
      .createQueryBuilder('job')
      .where('job.erasedAt >= :since', { since })
      .andWhere("job.error ->> 'code' = 'CANCELLED' and job.finishedAt > job.erasedAt - interval '1 hour'")
      .getMany();
  }
}

export class TimelineReader extends readerOf(TimelineRow) {
  /**
   * The public events of a job with `seq` beyond `since`, ascending. Empty for an unknown job and for another
   * tenant's; use {@link JobsReader.find} to learn whether the job exists.
   */
  publicEvents(tenant: string, jobId: string, since = 0): Promise<TimelineRow[]> {
    return this.rows.find({
      where: { jobId, tenant, visibility: 'public', seq: MoreThan(since) },
      order: { seq: 'ASC' },
    });
  }
}

/** Pictures that are finished. */
export class RendersReader extends readerOf(RenderRow) {
  /** Newest first. */
  async list(tenant: string, page: PageRequest): Promise<Page<FinishedRender>> {
    const where = { tenant, storageKey: Not(IsNull()), erasedAt: IsNull() };
    const query = this.newest(where, 'createdAt', 'publicId');
    // Safe cast: the condition above selects finished renders, and leaves out rows that wait for a picture.
    return (await readPage(query, page)) as Page<FinishedRender>;
  }

  async find(tenant: string, publicId: string): Promise<FinishedRender | undefined> {
    const where = { tenant, publicId, storageKey: Not(IsNull()) };
    // Safe cast: the condition selects finished renders.
    return ((await this.rows.findOneBy(where)) ?? undefined) as FinishedRender | undefined;
  }
}

export class CatalogReader extends readerOf(CatalogRow) {
  /** Newest first. */
  list(tenant: string, resource: CatalogResource, page: PageRequest): Promise<Page<CatalogRow>> {
    const where = { tenant, resource, retiredAt: IsNull() };
    return readPage(this.newest(where, 'createdAt', 'assetId'), page);
  }

  /** The tenant's entries of this resource with these ids, in no particular order. */
  find(tenant: string, resource: CatalogResource, assetIds: readonly string[]): Promise<CatalogRow[]> {
    return this.rows.findBy({ tenant, resource, retiredAt: IsNull(), assetId: In([...assetIds]) });
  }

  /** The entries of all resources, retired ones included, newest first. */
  all(tenant: string): Promise<CatalogRow[]> {
    return this.rows.find({ where: { tenant }, order: { createdAt: 'DESC', assetId: 'DESC' } });
  }
}

export class UsageReader extends readerOf(UsageRow) {
  /** Newest first. */
  list(tenant: string, page: PageRequest): Promise<Page<UsageRow>> {
    return readPage(this.newest({ tenant }, 'createdAt', 'requestId'), page);
  }
}

export class ProductsReader extends readerOf(ProductRow) {
  /** Newest first. */
  list(tenant: string, { status, externalRef, ...page }: ProductsFilter): Promise<Page<ProductRow>> {
    const where = {
      tenant,
      status: status ?? Not('erased' as const),
      ...(externalRef !== undefined && { externalRef }),
    };
    return readPage(this.newest(where, 'createdAt', 'productId'), page);
  }

  /** The products that show one of these pictures. */
  showing(tenant: string, assetIds: readonly string[]): Promise<ProductRow[]> {
    return this.rows
      .createQueryBuilder('product')
      .where('product.tenant = :tenant', { tenant })
      .andWhere("jsonb_path_query_array(product.images, '$[*].assetId') ?| array[:...assetIds]", { assetIds })
      .getMany();
  }
}

/** Stored pictures: a tenant's own uploads, and what erasures look for. */
export class AssetsReader extends readerOf(AssetRow) {
  /** Newest first. */
  uploads(tenant: string, page: PageRequest): Promise<Page<AssetRow>> {
    const where = { tenant, origin: 'upload' as const, erasedAt: IsNull() };
    return readPage(this.newest(where, 'createdAt', 'assetId'), page);
  }

  /** All pictures that these jobs have stored, also those that no event of a job names. */
  ofJobs(tenant: string, jobIds: readonly string[]): Promise<AssetRow[]> {
    return this.rows.findBy({ tenant, jobId: In([...jobIds]) });
  }

  /**
   * Pictures that are left of jobs whose words were erased since then, by late workers. A picture that is more than an hour
   * older than the erasure is none: no worker is as late, and retention erases words and leaves the pictures.
   */
  leftOfErasedJobs(since: Date): Promise<AssetRow[]> {
    return this.rows
      .createQueryBuilder('asset')
      .innerJoin(JobRow, 'job', 'job.publicId = asset.jobId and job.erasedAt >= :since', { since })
      .where("asset.erasedAt is null and asset.createdAt > job.erasedAt - interval '1 hour'")
      .getMany();
  }

  /** The ids of uploads with these bytes, newest first. */
  async uploadsWith(tenant: string, sha256: string, limit: number): Promise<string[]> {
    const found = await this.rows.find({
      select: { assetId: true },
      where: { tenant, sha256, origin: 'upload', erasedAt: IsNull() },
      order: { createdAt: 'DESC', assetId: 'DESC' },
      take: limit,
    });
    return found.map(({ assetId }) => assetId);
  }
}

const belongings = {
  uploads: { entity: AssetRow, id: 'assetId' },
  products: { entity: ProductRow, id: 'productId' },
  jobs: { entity: JobRow, id: 'publicId' },
} as const;

/** The things that belong to a person, of whom a tenant speaks by a name of its own. */
export class DataSubjectsReader {
  constructor(private readonly dataSource: DataSource) {}

  /** The ids of one kind of things, ascending. A batch and its photographs are jobs of their own. */
  async things(
    tenant: string,
    name: string,
    { kind, after = '', limit }: BelongingsFilter,
  ): Promise<string[]> {
    const { entity, id } = belongings[kind];
    const rows = await this.dataSource
      .createQueryBuilder()
      .select(`thing.${id}`, 'id')
      .from<ObjectLiteral>(entity, 'thing')
      .where('thing.tenant = :tenant and thing.dataSubjects @> :names::jsonb', {
        tenant,
        names: JSON.stringify([name]),
      })
      .andWhere(`thing.${id} > :after`, { after })
      .orderBy(`thing.${id}`)
      .limit(limit)
      .getRawMany<{ id: string }>();
    return rows.map(({ id: found }) => found);
  }
}

/** The calls of all tenants, for housekeeping. */
export class CallsReader extends readerOf(CallRow) {
  async answeredBetween(from: Date, until: Date, limit: number): Promise<KeptCall[]> {
    const query = this.rows
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
export class PresetsReader extends readerOf(PresetRow) {
  /** The published presets, in the order of their ids. */
  published(kind: PresetKind): Promise<PresetRow[]> {
    return this.rows.find({ where: { kind, retiredAt: IsNull() }, order: { presetId: 'ASC' } });
  }

  /** Retired ones included, by kind. */
  all(): Promise<PresetRow[]> {
    return this.rows.find({ order: { kind: 'ASC', presetId: 'ASC' } });
  }
}

/**
 * The keys that operators list. Authentication reads the key's own stream, and this read model only while the event
 * store is away.
 */
export class KeysReader extends readerOf(KeyRow) {
  /** Newest first, revoked ones included. */
  list(tenant: string): Promise<KeyRow[]> {
    return this.rows.find({ where: { tenant }, order: { issuedAt: 'DESC', keyId: 'DESC' } });
  }

  async find(keyId: string): Promise<KeyRow | undefined> {
    return (await this.rows.findOneBy({ keyId })) ?? undefined;
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
