import type { DataSource } from 'typeorm';
import type { Page, PageRequest, UsageReads } from '#application/read-models.js';
import { readPage } from '../page.js';
import { UsageRow } from './usage.read-model.js';

/** The usage log of one environment. */
export class UsageReader implements UsageReads {
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
