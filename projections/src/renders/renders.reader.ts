import { IsNull, Not, type DataSource } from 'typeorm';
import type { Page, PageRequest, RenderReads } from '#application/read-models.js';
import { readPage } from '../page.js';
import { RenderRow, type FinishedRender } from './renders.read-model.js';

/** The renders gallery of one environment: pictures that are finished. */
export class RendersReader implements RenderReads {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  async list(tenant: string, page: PageRequest): Promise<Page<FinishedRender>> {
    const query = this.renders
      .createQueryBuilder('render')
      .where('render.tenant = :tenant', { tenant })
      .andWhere('render.storageKey is not null')
      .orderBy({ 'render.createdAt': 'DESC', 'render.publicId': 'DESC' });
    // The condition above is what tells a finished render from a row that waits for its picture.
    return (await readPage(query, page)) as Page<FinishedRender>;
  }

  async find(tenant: string, publicId: string): Promise<FinishedRender | undefined> {
    const where = { tenant, publicId, storageKey: Not(IsNull()) };
    // As above: the condition says so.
    return ((await this.renders.findOneBy(where)) ?? undefined) as FinishedRender | undefined;
  }

  private get renders() {
    return this.dataSource.getRepository(RenderRow);
  }
}
