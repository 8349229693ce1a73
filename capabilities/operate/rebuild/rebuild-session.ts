import { hostname } from 'node:os';
import pg from 'pg';
import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { bigintTypes } from '#platform/postgres.js';
import { tryLock } from '#read-store/exclusive-session.js';
import type { ReadModel } from '#read-store/read-model.js';

export interface RebuildOptions {
  /** The read store's database. */
  readonly url: string;
  readonly eventStore: EventStore;
  readonly environment: Environment;
  /** The read models to rebuild. */
  readonly readModels: readonly ReadModel<object>[];
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: RebuildProgress) => void;
}

export interface RebuildProgress {
  /** The work under way, for example `live: folding`. */
  readonly phase: string;
  readonly position: bigint;
  readonly from: bigint;
  readonly through: bigint;
  /** Events folded in this phase; absent in other phases. */
  readonly events?: number;
}

/** The connections of one rebuild. While it is open, no other process rebuilds, compares or switches its read models. */
export class RebuildSession implements AsyncDisposable {
  private constructor(
    readonly options: RebuildOptions,
    /** Holds the locks, and for short times the checkpoints. */
    readonly control: pg.Client,
    /** Writes the folded rows. */
    readonly writer: pg.Client,
    readonly loader: pg.Client,
    /** Keeps a snapshot to compare in. */
    readonly reader: pg.Client,
  ) {}

  /** @throws RebuildRefused if another process works on these read models */
  static async open(options: RebuildOptions): Promise<RebuildSession> {
    const { url, environment, readModels } = options;
    // The projector waits while checkpoints are held. If this process is paused then, the timeout lets the
    // projector go on.
    const control = rebuildClient(url, { idle_in_transaction_session_timeout: '10s' });
    // Commits are not synchronous: rows and checkpoint always commit together, so events that a server crash
    // undoes are folded again. Sequential scans are off: statements are planned while a table may still be
    // empty, and would keep a plan that was good only then.
    const writer = rebuildClient(
      url,
      { synchronous_commit: 'off', enable_seqscan: 'off' },
      { pipeline: true },
    );
    const loader = rebuildClient(url, { enable_seqscan: 'off' });
    const reader = rebuildClient(url, { work_mem: '64MB' });
    const session = new RebuildSession(options, control, writer, loader, reader);
    try {
      for (const client of session.clients) await client.connect();
      await lockReadModels(
        control,
        environment,
        readModels.map(({ name }) => name),
      );
      return session;
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error;
    }
  }

  get environment(): Environment {
    return this.options.environment;
  }

  private get clients(): readonly pg.Client[] {
    return [this.control, this.writer, this.loader, this.reader];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.clients.map((client) => client.end().catch(() => undefined)));
  }
}

/** PostgreSQL cuts off application names after this length. */
const longestNameBytes = 63;

/**
 * A connection for rebuilding, not yet connected. Revisions and positions are `bigint`. Its name in
 * `pg_stat_activity` identifies the owner, and a second rebuild of the same read model reports it.
 */
export function rebuildClient(
  url: string,
  settings: Readonly<Record<string, string>> = {},
  { pipeline }: Pick<pg.ClientConfig, 'pipeline'> = {},
): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: `atelier rebuild, pid ${process.pid} on ${hostname()}`.slice(0, longestNameBytes),
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    options: Object.entries({ jit: 'off', ...settings })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types: bigintTypes,
    pipeline,
  });
  // No handler is needed: a lost connection also rejects the running statement and the next one.
  client.on('error', () => undefined);
  return client;
}

/**
 * Keeps other processes from rebuilding, comparing or switching these read models while the connection lives.
 * The lock ends with the process in every case.
 * @throws RebuildRefused that names the process which holds the lock
 */
export async function lockReadModels(
  client: pg.Client,
  environment: Environment,
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const lock = `atelier.rebuild.${environment}.${name}`;
    if (await tryLock(client, lock)) continue;
    const holder = await holderOf(client, lock);
    throw new RebuildRefused(`${environment}.${name} is being rebuilt already, by ${holder}`);
  }
}

/** PostgreSQL shows the two halves of an advisory lock's key. */
async function holderOf(client: pg.Client, lock: string): Promise<string> {
  const { rows } = await client.query<{ application: string; since: string; server: number }>(
    `select a.application_name as application, a.pid as server,
        to_char(a.backend_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
      from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())
        and (l.classid::bigint << 32) | l.objid::bigint = hashtextextended($1, 0)`,
    [lock],
  );
  const [holder] = rows;
  if (!holder) return 'a process that has just ended: try again';
  return `"${holder.application}" since ${holder.since} (PostgreSQL session ${holder.server})`;
}

/**
 * The rebuild cannot be done in the present state, and nothing was changed. The message is for the operator.
 */
export class RebuildRefused extends Error {
  override readonly name = 'RebuildRefused';
}
