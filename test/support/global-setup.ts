import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '#platform/processes.js';
import { startEmbeddedPostgres, stopEmbeddedPostgres } from '#platform/embedded-postgres.js';

const folderPrefix = 'atelier-test-run-';
const inMemory = '/dev/shm';
/** A run needs less than a quarter of this. Containers often have 64 MiB. */
const roomBytes = 4 * 1024 ** 3;

/**
 * One PostgreSQL server serves a whole test run. Every spec file clones a database of its own in it, see
 * `test-database.ts`.
 *
 * All files of the run lie in one folder, in memory if there is room. On a disk of a virtual machine the 300
 * files of a new database take 270 ms, in memory 12, and a run makes more than a thousand.
 */
export default async function globalSetup(): Promise<() => Promise<void>> {
  // Workers draw at this priority. If specs had a higher one, they would starve the pictures that they wait for.
  // All processes of the run inherit it.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const places = hasRoom(inMemory) ? [inMemory, tmpdir()] : [tmpdir()];
  for (const place of places) await sweepDeadRuns(place);
  const folder = mkdtempSync(join(places[0] ?? tmpdir(), folderPrefix));
  // When root runs the tests, the server belongs to another account.
  chmodSync(folder, 0o711);
  writeFileSync(join(folder, 'owner.pid'), String(process.pid));
  const server = await startEmbeddedPostgres({
    dataDirectory: join(folder, 'data'),
    logFile: join(folder, 'postgres.log'),
    fsync: false,
    settings: { max_connections: 300 },
  });
  process.env['ATELIER_TEST_POSTGRES_URL'] = server.url;
  process.env['ATELIER_TEST_FOLDER'] = folder;
  // Read by `tmpdir()` in the workers.
  process.env['TMPDIR'] = folder;
  // Projectors of specs that run at its hour would audit.
  process.env['ATELIER_AUDIT_AT'] = 'off';
  // Hundreds of processes load the same libraries.
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
  return async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** The browser is unpacked and run there, which a container's mount may forbid. */
function hasRoom(place: string): boolean {
  if (!existsSync(place)) return false;
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const [, , , options = 'noexec'] =
    mounts.findLast((mount) => mount.split(' ')[1] === place)?.split(' ') ?? [];
  const { bavail, bsize } = statfsSync(place);
  return bavail * bsize >= roomBytes && !options.split(',').includes('noexec');
}

/**
 * Removes what killed runs left behind, their servers included. It touches only folders of this user whose run
 * has ended.
 */
async function sweepDeadRuns(place: string): Promise<void> {
  const candidates = readdirSync(place).filter((name) => name.startsWith(folderPrefix));
  for (const folder of candidates.map((name) => join(place, name))) {
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
