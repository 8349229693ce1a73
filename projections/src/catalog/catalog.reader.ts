import { In, type DataSource } from 'typeorm';
import type { Page, PageRequest, CatalogReads } from '#application/read-models.js';
import type { CatalogResource } from '#domain/catalog/catalog.js';
import { readPage } from '../page.js';
import { CatalogRow } from './catalog.read-model.js';

/** The catalogue of one environment. Another tenant's entry is as unknown as one that never was. */
export class CatalogReader implements CatalogReads {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  list(tenant: string, resource: CatalogResource, page: PageRequest): Promise<Page<CatalogRow>> {
    const query = this.entries
      .createQueryBuilder('entry')
      .where('entry.tenant = :tenant and entry.resource = :resource', { tenant, resource })
      .orderBy({ 'entry.createdAt': 'DESC', 'entry.assetId': 'DESC' });
    return readPage(query, page);
  }

  /** Those of these ids that the tenant has among this resource, in no particular order. */
  find(tenant: string, resource: CatalogResource, assetIds: readonly string[]): Promise<CatalogRow[]> {
    return this.entries.findBy({ tenant, resource, assetId: In([...assetIds]) });
  }

  private get entries() {
    return this.dataSource.getRepository(CatalogRow);
  }
}
