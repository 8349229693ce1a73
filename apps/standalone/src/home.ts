import {
  accessSync,
  constants,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { errorCode } from '#platform/errors.js';
import { type ProcessIdentity, isRunning, thisProcess } from '#platform/processes.js';
import { retry } from '#platform/retry.js';
import { StartError } from './console.js';

export interface HomeFolders {
  readonly home: string;
  readonly logs: string;
  readonly postgres: string;
}

/**
 * Makes the folders of a home. Other users may enter them but not list them. If root starts an embedded
 * PostgreSQL, it runs under another account, and must reach its files below.
 * @throws StartError when the home is not a folder, or not writable
 */
export function prepareHome(home: string): HomeFolders {
  const folders = { home, logs: join(home, 'logs'), postgres: join(home, 'postgres') };
  try {
    mkdirSync(home, { recursive: true, mode: 0o711 });
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    mkdirSync(folders.logs, { recursive: true, mode: 0o711 });
    return folders;
  } catch (error) {
    const code = errorCode(error);
    const because = code === 'EEXIST' || code === 'ENOTDIR' ? 'is not a folder' : `is not writable (${code})`;
    throw new StartError(`${home} ${because}: set ATELIER_HOME to a folder that this user may write to`);
  }
}

export interface HomeLock {
  /** True if the earlier holder of the lock was killed. Its child processes may still be ending. */
  readonly takenOver: boolean;
  release(): void;
}

/**
 * Makes sure that only one process at a time runs on a home. The lock is a file that names its holder by
 * process number and start time. So a killed holder is noticed at once, without the delay of a heartbeat. A new
 * process with the same number, for example in a restarted container, is not mistaken for the holder.
 * @throws StartError when the home is in use
 */
export function lockHome(home: string): HomeLock {
  const path = join(home, 'atelier.lock');
  const own = thisProcess();
  const claim = `${path}.${own.pid}`;
  try {
    // Linking fails when the name exists. Once the file has the name, it is complete.
    writeFileSync(claim, JSON.stringify(own), { mode: 0o600 });
    const takenOver = !linked(claim, path) && takeOver(claim, path, home);
    return { takenOver, release: () => release(path, own) };
  } finally {
    rmSync(claim, { force: true });
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the lock of a dead holder. The lock is first moved aside and checked again. Otherwise, if two starts
 * see the same dead holder, the slower one could remove the new lock of the faster one.
 */
function takeOver(claim: string, path: string, home: string): true {
  const seen = readHolder(path);
  if (seen && isRunning(seen)) throw inUse(home, seen);
  const aside = `${claim}.previous`;
  try {
    renameSync(path, aside);
    const holder = readHolder(aside);
    if (holder && isRunning(holder)) {
      linked(aside, path);
      throw inUse(home, holder);
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  if (!linked(claim, path)) throw inUse(home, readHolder(path));
  return true;
}

function readHolder(path: string): ProcessIdentity | undefined {
  try {
    // Only `lockHome` writes the file. A file that cannot be read names no holder.
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

function inUse(home: string, holder: ProcessIdentity | undefined): StartError {
  return new StartError(
    `${home} is in use by another atelier (process ${holder?.pid ?? 'unknown'}): ` +
      'stop that one, or set ATELIER_HOME to another folder',
  );
}

function release(path: string, own: ProcessIdentity): void {
  if (readHolder(path)?.pid === own.pid) rmSync(path, { force: true });
}

/**
 * A free port for the API; for 0, any free one. It is chosen here and not by the API, so that a restarted API
 * process keeps its address.
 * @param patienceMs how long to wait for a taken port, because after a crash the old API may still be ending
 * @throws StartError when the port is in use, or the address is not one of this machine
 */
export async function settlePort(
  host: string,
  port: number,
  patienceMs: number,
  setting = 'PORT',
): Promise<number> {
  try {
    return await retry(() => bind(host, port), {
      withinMs: patienceMs,
      longestPauseMs: 250,
      mayPass: (error) => patienceMs > 0 && errorCode(error) === 'EADDRINUSE',
    });
  } catch (error) {
    throw new StartError(complaint(host, port, setting, errorCode(error)));
  }
}

async function bind(host: string, port: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen({ host, port, exclusive: true }, listening);
  });
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  // The address of a TCP server is an object with a port. Only the address of a pipe is a text.
  return typeof address === 'object' && address ? address.port : port;
}

function complaint(host: string, port: number, setting: string, code: string | undefined): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use: stop the process that listens there, or set ${setting} to another one (0: any free port)`;
    case 'EACCES':
      return `this user may not use port ${port}: set ${setting} to a port above 1023`;
    default:
      return `HOST ${host} is not an address of this machine (${code}): use 127.0.0.1, or 0.0.0.0 for all of its addresses`;
  }
}
