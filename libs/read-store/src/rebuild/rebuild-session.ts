import type pg from 'pg';
import type { Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import type { ReadModel } from '../read-model.js';
import { rebuildClient } from './connection.js';
import { lockReadModels } from './rebuild-lock.js';

export interface RebuildOptions {
  /** The read store's database. */
  readonly url: string;
  readonly eventStore: EventStore;
  readonly environment: Environment;
  /** Those to be rebuilt. */
  readonly readModels: readonly ReadModel<object>[];
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: RebuildProgress) => void;
}

export interface RebuildProgress {
  /** What is being done, for example `live: folding`. */
  readonly phase: string;
  readonly position: bigint;
  readonly from: bigint;
  readonly through: bigint;
  /** Folded in this phase; absent in the others. */
  readonly events?: number;
}

/** The connections of one rebuild. While it is open, nobody else rebuilds, compares or switches its read models. */
export class RebuildSession implements AsyncDisposable {
  private constructor(
    readonly options: RebuildOptions,
    /** Holds the locks, and checkpoints for moments. */
    readonly control: pg.Client,
    /** Folded rows go out on this one. */
    readonly writer: pg.Client,
    readonly loader: pg.Client,
    /** Keeps a snapshot to compare in. */
    readonly reader: pg.Client,
  ) {}

  /** @throws RebuildRefused when somebody else is at it */
  static async open(options: RebuildOptions): Promise<RebuildSession> {
    const { url, environment, readModels } = options;
    // The projector waits while checkpoints are held: should this process be paused then, it is let go.
    const control = rebuildClient(url, { idle_in_transaction_session_timeout: '10s' });
    // What a crash of the server takes back is folded again: rows and checkpoint always go together. Statements are
    // planned while a table may still be empty, and must not be stuck with the plan that was good then.
    const writer = rebuildClient(url, { synchronous_commit: 'off', enable_seqscan: 'off' });
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

/** Runs the work in a transaction that is rolled back when it throws. */
export async function transact<T>(client: pg.Client, begin: string, work: () => Promise<T>): Promise<T> {
  await client.query(begin);
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
