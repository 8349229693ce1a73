import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, stopEmbeddedPostgres } from '#platform/embedded-postgres.js';

const folderPrefix = 'atelier-test-postgres-';

/**
 * One PostgreSQL server serves a whole test run: every spec file clones a database of its own in it, see
 * `test-database.ts`. Jest loads this file natively, so it may import compiled libraries but no sibling.
 */
export default async function globalSetup(): Promise<void> {
  await sweepDeadRuns();
  const folder = mkdtempSync(join(tmpdir(), folderPrefix));
  chmodSync(folder, 0o711);
  writeFileSync(join(folder, 'owner.pid'), String(process.pid));
  const server = await startEmbeddedPostgres({
    dataDirectory: join(folder, 'data'),
    logFile: join(folder, 'postgres.log'),
    fsync: false,
    settings: { max_connections: 300 },
  });
  process.env['ATELIER_TEST_POSTGRES_URL'] = server.url;
  process.env['ATELIER_TEST_POSTGRES_FOLDER'] = folder;
}

/** A run that was killed leaves its server behind. Only folders that this user's runs made, and whose run is gone. */
async function sweepDeadRuns(): Promise<void> {
  const candidates = readdirSync(tmpdir()).filter((name) => name.startsWith(folderPrefix));
  for (const folder of candidates.map((name) => join(tmpdir(), name))) {
    try {
      if (statSync(folder).uid !== process.getuid?.()) continue;
      if (isAlive(Number(readFileSync(join(folder, 'owner.pid'), 'utf8')))) continue;
      await stopEmbeddedPostgres(join(folder, 'data'));
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      console.warn(`A test database of a dead run could not be removed: ${folder} (${String(error)})`);
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
