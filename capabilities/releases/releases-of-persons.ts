import type { RecordsOfPersons } from '../capability.js';
import { EraseRelease } from './manage-releases.js';

/** Releases go with the person who granted them. Their fees and uses stay, because they may still be owed. */
export const releasesOfPersons: RecordsOfPersons = {
  category: 'release',
  readModel: 'releases',
  async find(database, { environment, tenant, name }, { after, limit }) {
    const { rows } = await database.query(
      `select release_id from ${environment}.releases
        where tenant = $1 and ($2::text is null or data_subject = $2) and erased_at is null and release_id > $3
        order by release_id limit $4`,
      [tenant, name ?? null, after ?? '', limit],
    );
    return (rows as { release_id: string }[]).map(({ release_id: id }) => id);
  },
  erase: (context, id, erasureId) => new EraseRelease(context, id, { erasureId }),
};
