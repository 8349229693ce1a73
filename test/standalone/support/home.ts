import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopEmbeddedPostgres } from '#platform/embedded-postgres.js';

/** A folder for one installation. Disposing of it also ends a database that a killed service left running. */
export function temporaryHome(): { path: string } & AsyncDisposable {
  const path = mkdtempSync(join(tmpdir(), 'atelier-home-'));
  // If root runs it, the embedded server belongs to another account, which must be able to enter the folder.
  chmodSync(path, 0o711);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await stopEmbeddedPostgres(join(path, 'postgres'));
      rmSync(path, { recursive: true, force: true });
    },
  };
}
