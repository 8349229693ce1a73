import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { CatalogResource } from '#domain/catalog/catalog.js';
import type { Environment } from '#domain/streams.js';
import type { Caller } from '../caller.js';
import type { Fresh, ReadYourWrites } from '../consistency/read-your-writes.js';
import type { Page, PageRequest } from '../page.js';

/** A building block that a job of the caller's made. */
export interface CatalogEntry {
  /** Of its picture, and of the entry. */
  readonly assetId: string;
  readonly kind: string;
  readonly label: string;
  readonly storageKey: string;
  readonly width: number;
  readonly height: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly jobId: string;
  readonly createdAt: Date;
}

/** The catalogue of one environment. */
export abstract class CatalogReads {
  /** Newest first. */
  abstract list(tenant: string, resource: CatalogResource, page: PageRequest): Promise<Page<CatalogEntry>>;
  /** Those of these ids that are the tenant's and of that resource, in no particular order. */
  abstract find(
    tenant: string,
    resource: CatalogResource,
    assetIds: readonly string[],
  ): Promise<readonly CatalogEntry[]>;
}

export class ListCatalog extends Query<Fresh<Page<CatalogEntry>>> {
  constructor(
    readonly caller: Caller,
    readonly resource: CatalogResource,
    readonly page: PageRequest,
    readonly token?: bigint,
  ) {
    super();
  }
}

@QueryHandler(ListCatalog)
export class ListCatalogHandler implements IQueryHandler<ListCatalog> {
  constructor(
    private readonly catalog: Readonly<Record<Environment, CatalogReads>>,
    private readonly consistency: ReadYourWrites,
  ) {}

  execute({ caller, resource, page, token }: ListCatalog): Promise<Fresh<Page<CatalogEntry>>> {
    return this.consistency.read(caller, 'catalog', token, () =>
      this.catalog[caller.environment].list(caller.tenant, resource, page),
    );
  }
}
