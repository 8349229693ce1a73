import { loadConfiguration } from '#platform/configuration.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import { openStorage } from '#storage/open-storage.js';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Where the service keeps its pictures: the bucket that the S3_* settings name, or the folder in ATELIER_HOME. A
 * folder signs URLs with a secret, which nobody needs who only writes to it.
 */
export function findStorage(variables: Variables = process.env): ObjectStorage {
  const provided = { DATABASE_URL: 'postgres://not-asked-here', URL_SIGNING_SECRET: 'unused' };
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value));
  return openStorage(loadConfiguration({ ...provided, ...given }));
}
