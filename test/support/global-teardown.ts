import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { stopEmbeddedPostgres } from '#platform/embedded-postgres.js';

/** Ends the server of this run and removes its files. */
export default async function globalTeardown(): Promise<void> {
  const folder = process.env['ATELIER_TEST_FOLDER'];
  if (folder === undefined) return;
  await stopEmbeddedPostgres(join(folder, 'data'));
  rmSync(folder, { recursive: true, force: true });
}
