import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { Page, PageRequest } from '#application/read-models.js';

/** Counted in the statement that reads the page, so that the two always speak of the same moment. */
export async function readPage<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { limit, offset }: PageRequest,
): Promise<Page<Row>> {
  const count = query.clone().select('count(*)').orderBy().getQuery();
  const page = query.clone().addSelect(`(${count})`, 'total').limit(limit).offset(offset);
  const { entities, raw } = await page.getRawAndEntities<{ total: string }>();
  const [first] = raw;
  return { items: entities, total: first ? Number(first.total) : await query.getCount() };
}
