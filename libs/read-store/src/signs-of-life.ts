import { hostname } from 'node:os';
import type { Queries } from './data-source.js';
import { messageOf } from '#platform/errors.js';
import { newId } from '#platform/ids.js';
import type { Logger } from '#platform/logger.js';
import { versionOfThis } from '#platform/package-folder.js';
import { isRunning, thisProcess, type ProcessIdentity } from '#platform/processes.js';

/** What callers notice while no process of a role works. */
const withoutIt = {
  api: 'callers get no answer',
  projector:
    'dispatches are accepted and charged, but no job begins, lists stand still and charges stay open',
  worker: 'dispatches are accepted and charged, and wait',
} as const;

export type Role = keyof typeof withoutIt;

/** The keys of an object that is declared above are those that its type has. */
export const roles = Object.keys(withoutIt) as readonly Role[];

/** How often a process says that it lives. */
const everyMs = 2_000;
/** Four signs may get lost on a busy machine. A worker that is this silent has lost its renders to another one. */
const silentAfterSeconds = 10;
/** A process that has been silent for longer is forgotten. */
const awaitedFor = '1 hour';

/**
 * The sign of life of this process: a row that it renews, and removes at an orderly end. A killed process leaves its
 * row until one of the same role starts on its host.
 */
export class SignOfLife {
  private readonly id = newId();
  private timer: NodeJS.Timeout | undefined;
  private beat: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Queries,
    private readonly role: Role,
    private readonly logger: Logger,
  ) {}

  /** From now on. A database that is away or was not migrated yet is asked again and again. */
  begin(): void {
    this.beat = this.asked(() => this.replaceTheDead());
    let isWaiting = false;
    const renew = async () => {
      if (isWaiting) return;
      isWaiting = true;
      await this.asked(() => this.renew());
      isWaiting = false;
    };
    this.timer = setInterval(() => void (this.beat = renew()), everyMs);
    this.timer.unref();
  }

  /** The process ends in order. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.beat;
    const remove = 'delete from read_store.signs_of_life where process = $1';
    await this.asked(() => this.database.query(remove, [this.id]));
  }

  private async replaceTheDead(): Promise<void> {
    const { rows } = await this.database.query(
      'select process, pid, started_mark as "startedAt" from read_store.signs_of_life where role = $1 and host = $2',
      [this.role, hostname()],
    );
    // The columns are named by the statement. One in another container of this host comes back with its next sign.
    const dead = (rows as (ProcessIdentity & { process: string })[]).filter((each) => !isRunning(each));
    const remove = 'delete from read_store.signs_of_life where process = any($1)';
    await this.database.query(remove, [dead.map(({ process }) => process)]);
    await this.renew();
  }

  private async renew(): Promise<void> {
    const { pid, startedAt } = thisProcess();
    await this.database.query(
      `with forgotten as (
          delete from read_store.signs_of_life where seen_at < now() - interval '${awaitedFor}'
        )
        insert into read_store.signs_of_life (process, role, host, pid, started_mark, release)
        values ($1, $2, $3, $4, $5, $6) on conflict (process) do update set seen_at = now()`,
      [this.id, this.role, hostname(), pid, startedAt, versionOfThis()],
    );
  }

  /** Whoever cannot reach the database says so elsewhere. */
  private async asked(ask: () => Promise<unknown>): Promise<void> {
    await ask().catch((error: unknown) =>
      this.logger.debug({ because: messageOf(error) }, 'no sign of life could be given'),
    );
  }
}

/** A process that gave a sign of life and did not remove it. */
export interface SeenProcess {
  readonly role: Role;
  readonly host: string;
  readonly pid: number;
  readonly release: string;
  readonly started_at: Date;
  /** Since its last sign. */
  readonly silent_seconds: number;
  readonly silent: boolean;
}

export async function readSignsOfLife(database: Queries): Promise<SeenProcess[]> {
  const { rows } = await database.query(
    `select role, host, pid, release, started_at, silent_seconds::integer, silent_seconds > ${silentAfterSeconds} as silent
      from read_store.signs_of_life,
      lateral (select greatest(0, extract(epoch from now() - seen_at)) as silent_seconds) since
      order by role, started_at, process`,
  );
  // The columns are named and typed by the statement; roles are written above only.
  return rows as SeenProcess[];
}

/** How many processes of a role live, and how many fell silent. */
export function countProcesses(seen: readonly SeenProcess[]) {
  return roles.map((role) => {
    const own = seen.filter((each) => each.role === role);
    const silent = own.filter((each) => each.silent).length;
    return { role, alive: own.length - silent, silent };
  });
}

/** One line for each role with a silent process or without a live one, with the effect on callers. */
export function silences(seen: readonly SeenProcess[]): string[] {
  return countProcesses(seen).flatMap(({ role, alive, silent }) => {
    if (alive > 0 && silent === 0) return [];
    const named = seen
      .filter((each) => each.role === role && each.silent)
      .map(
        ({ host, pid, silent_seconds: seconds }) => `process ${pid} on ${host} is silent for ${seconds} s`,
      );
    const meaning =
      alive > 0
        ? `${alive} other${alive === 1 ? ' works' : 's work'} on`
        : `none gives a sign of life: ${withoutIt[role]}`;
    return [`${role}: ${[...named, meaning].join('; ')}`];
  });
}
