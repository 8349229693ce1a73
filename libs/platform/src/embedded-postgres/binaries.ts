import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly pgCtl: string;
}

/**
 * Finds the PostgreSQL programs that npm installed for this platform. They are looked up from `embedded-postgres`,
 * whose optional dependency they are, because a package manager need not hoist them to where we could see them.
 */
export async function locatePostgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  const native = join(packageRoot(packageName), 'native');
  await restoreLibraryLinks(native);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return {
    initdb: join(native, 'bin', `initdb${suffix}`),
    pgCtl: join(native, 'bin', `pg_ctl${suffix}`),
  };
}

function packageRoot(packageName: string): string {
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(wrapper).resolve(packageName)));
  } catch {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for this machine: the npm package ${packageName} is not installed. ` +
        'Install with optional dependencies, or set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
}

/**
 * npm archives cannot hold symbolic links, so the package makes the links to its shared libraries in an install
 * script. Under `npm ci --ignore-scripts` that script has not run and the server would not load: run it now.
 */
async function restoreLibraryLinks(native: string): Promise<void> {
  const script = join(native, '..', 'scripts', 'hydrate-symlinks.js');
  const linked = existsSync(join(native, 'lib', 'libpq.so.5'));
  if (process.platform !== 'linux' || linked || !existsSync(script)) return;
  await promisify(execFile)(process.execPath, [script], { cwd: join(native, '..') });
}
