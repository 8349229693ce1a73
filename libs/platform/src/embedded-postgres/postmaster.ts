import { errorCode } from '../errors.js';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../processes.js';

/** The content of `postmaster.pid`: its lines 1, 4 and 8 are the process, the TCP port and the state. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly state: string;
}

const startupLimitMs = 300_000;
const endingLimitMs = 2_000;

/**
 * The server that already runs on this data folder, once it is ready. If a parent is killed, its server runs
 * on, and the next parent takes it over. If a server is killed, its file stays behind. Such a server does not
 * count as running, even if its process number now belongs to another process. That happens in every restarted
 * container.
 */
export async function findRunningPostmaster(dataDirectory: string): Promise<Postmaster | undefined> {
  const deadline = Date.now() + startupLimitMs;
  const endedBy = Date.now() + endingLimitMs;
  while (Date.now() < deadline) {
    const postmaster = readPostmaster(dataDirectory);
    if (postmaster === undefined || !isAlive(postmaster.pid)) return undefined;
    const program = programOf(postmaster.pid);
    // A process that is ending has no program, and its file guards the data until the process is gone. A kernel
    // thread has no program either.
    if (program === '' && Date.now() < endedBy) {
      await sleep(20);
      continue;
    }
    if (program !== undefined && !/^postgres/.test(basename(program))) {
      rmSync(join(dataDirectory, 'postmaster.pid'), { force: true });
      return undefined;
    }
    if (postmaster.state === 'ready') return postmaster;
    await sleep(100);
  }
  throw new EmbeddedPostgresError(
    `A PostgreSQL server holds ${dataDirectory} but is not ready after ${startupLimitMs / 1000} s`,
  );
}

function readPostmaster(dataDirectory: string): Postmaster | undefined {
  try {
    const lines = readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n');
    // A server in single-user mode writes its process number as a negative one.
    return { pid: Math.abs(Number(lines[0])), port: Number(lines[3]), state: (lines[7] ?? '').trim() };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Empty: the process has no program. Undefined: unknown; to be safe, it then counts as a PostgreSQL server. */
function programOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0];
    return execFileSync('ps', ['-p', String(pid), '-o', 'comm='], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** Why the embedded database cannot run, as one line that an operator can act on. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/**
 * The line of a program's output that names the cause, without the time and process number in front of it. It
 * is the first line that PostgreSQL marked as an error (later ones are consequences), with the hint that
 * follows it. If there is none, it is the very last line.
 */
export function causeIn(output: string): string | undefined {
  // initdb lists the files that it removes after a failure. These lines are not the cause.
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !/^initdb: removing /.test(line));
  const at = lines.findIndex((line) => /FATAL|PANIC|error:/.test(line));
  const hint = lines[at + 1]?.includes('HINT:') ? lines[at + 1] : undefined;
  const cause = at < 0 ? lines.at(-1) : lines[at];
  return (
    [cause, hint]
      .flatMap((line) => line?.replace(/^[\d-]+ [\d:.]+ UTC \[\d+\] /, '').trim() ?? [])
      .join(' ') || undefined
  );
}
