import { errorCode } from '../errors.js';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { causeIn, EmbeddedPostgresError } from './postmaster.js';
import type { ServerAccount } from './programs.js';

export const superuser = 'atelier';

/** Makes sure that the folder for the data can be made, before any program gets to complain about it at length. */
export function prepareParentFolder(dataDirectory: string): void {
  const parent = dirname(dataDirectory);
  try {
    mkdirSync(parent, { recursive: true });
    accessSync(parent, constants.W_OK | constants.X_OK);
    // A data folder of another user can be seen but not read: better found out here.
    if (existsSync(dataDirectory)) readdirSync(dataDirectory);
  } catch (error) {
    // Only calls of node:fs stand in the block above.
    const { code, path } = error as NodeJS.ErrnoException;
    throw new EmbeddedPostgresError(`The folder ${path ?? parent} is not writable for this user (${code})`);
  }
}

/**
 * Creates the database files on first use and returns the superuser's password. They are made aside and moved
 * into place when they are complete, so that a process killed half way leaves nothing that looks like a database.
 * The password lies beside the data and is written before the move: data without a password cannot come about.
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
    '--encoding=UTF8',
    // Sorting by code point is the same on every machine; the system's locales are not.
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
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
