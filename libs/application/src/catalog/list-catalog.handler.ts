import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { CatalogResource } from '#domain/catalog/catalog.js';
import type { Caller } from '../caller.js';
import { type Fresh, ReadYourWrites } from '../consistency/read-your-writes.js';
import { type CatalogEntry, type Page, type PageRequest, ReadModels } from '../read-models.js';

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
    private readonly reads: ReadModels,
    private readonly consistency: ReadYourWrites,
  ) {}

  execute({ caller, resource, page, token }: ListCatalog): Promise<Fresh<Page<CatalogEntry>>> {
    return this.consistency.read(caller, 'catalog', token, () =>
      this.reads.of(caller.environment).catalog.list(caller.tenant, resource, page),
    );
  }
}
