import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One run of a process. The system reuses process numbers, so the number alone does not identify a run. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The time of its start, as the system reports it; null if unknown. */
  readonly startedAt: string | null;
}

export function thisProcess(): ProcessIdentity {
  return identityOf(process.pid);
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, startedAt: startMark(pid) };
}

/**
 * Whether this same process still runs. A later process with the same number does not count; a zombie does not
 * count either.
 */
export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  if (!isAlive(pid)) return false;
  return startedAt === null || startMark(pid) === startedAt;
}

/** Whether any process has this number now. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not permitted means that it is there, under another account.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** On Linux the ticks since boot together with the boot's id, elsewhere the start time that `ps` shows. */
function startMark(pid: number): string | null {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-p', String(pid), '-o', 'lstart='], { encoding: 'utf8' }).trim() || null;
    }
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets. It may contain anything, even blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    return state === 'Z' ? 'zombie' : `${boot}:${fields[19]}`;
  } catch {
    return null;
  }
}
