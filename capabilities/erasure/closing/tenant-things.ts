import type { Owner } from '#application/picture/stored-pictures.js';
import { recordsOfPersons } from '#capabilities/parts.js';
import type { Queries } from '#read-store/data-source.js';
import type { ErasureTarget } from '../erasure.events.js';
import { pages } from '../persons.js';

/** The uploads, jobs and products. The pictures of jobs go with their jobs. */
const kinds = [
  ['upload', 'assets', 'asset_id', `origin = 'upload' and erased_at is null`],
  ['job', 'jobs', 'public_id', 'erased_at is null'],
  ['product', 'products', 'product_id', `status <> 'erased'`],
] as const;

/** All that a tenant has and that is not erased, as the read models show it. */
export async function* thingsOfTenant(
  database: Queries,
  { environment, tenant }: Owner,
): AsyncGenerator<ErasureTarget> {
  for (const [kind, table, column, isThere] of kinds) {
    const ids = pages(async ({ after = '', limit }) => {
      const { rows } = await database.query(
        `select ${column} as id from ${environment}.${table}
           where tenant = $1 and ${column} > $2 and ${isThere} order by ${column} limit $3`,
        [tenant, after, limit],
      );
      return (rows as { id: string }[]).map(({ id }) => id);
    });
    for await (const id of ids) yield { kind, id };
  }
  for (const [category, records] of await recordsOfPersons()) {
    const ids = pages((page) => records.find(database, { environment, tenant }, page));
    for await (const id of ids) yield { kind: 'record', category, id };
  }
}
