import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queries } from './data-source.js';
import { messageOf } from '#platform/errors.js';
import { newId } from '#platform/ids.js';
import type { Logger } from '#platform/logger.js';
import { versionOfThis } from '#platform/package-folder.js';
import { isRunning, thisProcess, type ProcessIdentity } from '#platform/processes.js';
import type { Troubles } from '#platform/troubles.js';

/** The effect on callers while no process of a role works. */
const withoutIt = {
  api: 'callers get no answer',
  projector:
    'dispatches are accepted and charged, but no job begins, lists stand still and charges stay open',
  worker: 'dispatches are accepted and charged, and wait',
} as const;

export type Role = keyof typeof withoutIt;

/** The object above has exactly the keys of its type. */
export const roles = Object.keys(withoutIt) as readonly Role[];

/** How often a process says that it lives. */
const everyMs = 2_000;
/**
 * A busy machine may lose four signs. A worker that is silent for this long has lost its renders to another
 * one.
 */
const silentAfterSeconds = 10;
/** A process that has been silent for longer is forgotten. */
const awaitedFor = '1 hour';

/**
 * The sign of life of this process: a row that it renews, and removes when it ends in order. The row of a
 * killed process stays until a process of the same role starts on its host.
 */
export class SignOfLife {
  private readonly id = newId();
  private readonly ending = new AbortController();
  private living: Promise<void> | undefined;

  constructor(
    private readonly database: Queries,
    private readonly role: Role,
    private readonly logger: Logger,
    private readonly troubles: Troubles,
  ) {}

  /**
   * Starts the signs of life. If the database is away or not migrated yet, the next try comes at the next sign.
   */
  begin(): void {
    this.living = this.live();
  }

  private async live(): Promise<void> {
    const { signal } = this.ending;
    await this.asked(() => this.replaceTheDead());
    while (await sleep(everyMs, true, { signal, ref: false }).catch(() => false))
      await this.asked(() => this.renew());
  }

  /** The process ends in order. */
  async end(): Promise<void> {
    this.ending.abort();
    await this.living;
    const remove = 'delete from read_store.signs_of_life where process = $1';
    await this.asked(() => this.database.query(remove, [this.id]));
  }

  private async replaceTheDead(): Promise<void> {
    const { rows } = await this.database.query(
      'select process, pid, started_mark as "startedAt" from read_store.signs_of_life where role = $1 and host = $2',
      [this.role, hostname()],
    );
    // The statement names the columns. A live process in another container of this host comes back with its
    // next sign.
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
        insert into read_store.signs_of_life (process, role, host, pid, started_mark, release, troubles)
        values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (process) do update set seen_at = now(), troubles = excluded.troubles`,
      [this.id, this.role, hostname(), pid, startedAt, versionOfThis(), this.troubles.current],
    );
  }

  /** A failure is only a debug line: other parts of the process report a database that is away. */
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
  /** By subject: what it does without. */
  readonly troubles: Readonly<Record<string, string>>;
}

export async function readSignsOfLife(database: Queries): Promise<SeenProcess[]> {
  const { rows } = await database.query(
    `select role, host, pid, release, started_at, silent_seconds::integer, silent_seconds > ${silentAfterSeconds} as silent, troubles
      from read_store.signs_of_life,
      lateral (select greatest(0, extract(epoch from now() - seen_at)) as silent_seconds) since
      order by role, started_at, process`,
  );
  // The statement names the columns and their types. Only roles are written above.
  return rows as SeenProcess[];
}

/** How many processes of a role live, and how many have fallen silent. */
export function countProcesses(seen: readonly SeenProcess[]) {
  return roles.map((role) => {
    const own = seen.filter((each) => each.role === role);
    const silent = own.filter((each) => each.silent).length;
    return { role, alive: own.length - silent, silent };
  });
}

/** One line for each role that has a silent process or no live one, with the effect on callers. */
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
