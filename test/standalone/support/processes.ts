import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, isRunning, type ProcessIdentity } from '#platform/processes.js';

/** The processes that this one has started, filtered by a part of their command line. */
export function childrenOf(pid: number, program: string): ProcessIdentity[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  return lines
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null && Number(match[2]) === pid && match[3]?.includes(program))
    .map((match) => identityOf(Number(match?.[1])));
}

/** Waits until all of them have ended. @returns those that still run after the time */
export async function remaining(
  processes: readonly ProcessIdentity[],
  withinMs: number,
): Promise<ProcessIdentity[]> {
  for (const deadline = Date.now() + withinMs; ;) {
    const running = processes.filter(isRunning);
    if (running.length === 0 || Date.now() > deadline) return running;
    await sleep(50);
  }
}
