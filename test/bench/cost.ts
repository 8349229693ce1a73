import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';

/** The use since the service's start: CPU of each process in milliseconds, and committed transactions. */
export interface Spent {
  readonly cpuMs: Readonly<Record<string, number>>;
  readonly transactions: number;
}

/** Linux reports CPU time in hundredths of a second, whatever the kernel's own tick is. */
const tickMs = 10;

/** How long the statistics of an idle backend take to reach the view. */
export const statisticsDelayMs = 1_100;

/** The use of these processes, by name, and of the PostgreSQL server that holds the database. Linux only. */
export async function spent(
  pids: Readonly<Record<string, number>>,
  server: { readonly pid: number; readonly databaseUrl: string },
): Promise<Spent> {
  const client = new Client({ connectionString: server.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ commits: string }>(
    'select xact_commit as commits from pg_stat_database where datname = current_database()',
  );
  await client.end();
  const cpuMs = Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, ownCpuMs(pid)]));
  return { cpuMs: { ...cpuMs, postgres: cpuOfServerMs(server.pid) }, transactions: Number(rows[0]?.commits) };
}

/** The difference, divided by the number of dispatches. */
export function spentEach(before: Spent, after: Spent, dispatches: number): Spent {
  const names = Object.keys(after.cpuMs);
  const each = (one: number, other: number) => (other - one) / dispatches;
  return {
    cpuMs: Object.fromEntries(
      names.map((name) => [name, each(before.cpuMs[name] ?? 0, after.cpuMs[name] ?? 0)]),
    ),
    transactions: each(before.transactions, after.transactions),
  };
}

/**
 * Fields of /proc/PID/stat after the command's name, which may contain blanks; proc(5) counts these fields from
 * 3.
 */
export function fieldsOf(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

export const sumOf = (fields: readonly string[], ...places: number[]) =>
  places.reduce((sum, place) => sum + Number(fields[place - 3]), 0) * tickMs;

export function ownCpuMs(pid: number): number {
  return sumOf(fieldsOf(pid), 14, 15);
}

/** The resident memory of a process, as Linux reports it; 0: the process has ended. */
export function residentMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** The postmaster, its backends that ended, and those that live. */
export function cpuOfServerMs(postmaster: number): number {
  let total = sumOf(fieldsOf(postmaster), 14, 15, 16, 17);
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = fieldsOf(pid);
      if (Number(fields[1]) === postmaster) total += sumOf(fields, 14, 15);
    } catch {
      // It has ended meanwhile.
    }
  }
  return total;
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}
