import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  EmbeddedPostgresError,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '#platform/embedded-postgres.js';
import { findRunningPostmaster } from '#platform/embedded-postgres/postmaster.js';
import type { HomeFolders } from '../home/home.js';
import { StartError } from '../start-error.js';
import type { Database } from './database.js';

export interface EmbeddedDatabaseEvents {
  onRestarting(): void;
  /** `moved`: the old URL leads nowhere now. Happens only when somebody else took the port meanwhile. */
  onRestarted(moved: boolean): void;
  onFailure(error: unknown): void;
}

const lookEveryMs = 500;
const retryAfterMs = 5_000;

/**
 * The PostgreSQL server that npm brought along, watched: when it dies it is started again on the same port, so that
 * the pools of all processes find it by themselves.
 */
export class EmbeddedDatabase implements Database {
  readonly #ended = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  private constructor(
    private server: EmbeddedPostgres,
    private readonly folders: HomeFolders,
    private readonly events: EmbeddedDatabaseEvents,
  ) {}

  /** @throws StartError with PostgreSQL's own reason */
  static async start(folders: HomeFolders, events: EmbeddedDatabaseEvents): Promise<EmbeddedDatabase> {
    try {
      const database = new EmbeddedDatabase(await launch(folders), folders, events);
      database.#watching = database.#watch();
      return database;
    } catch (error) {
      if (error instanceof EmbeddedPostgresError) throw new StartError(error.message);
      throw error;
    }
  }

  get url(): string {
    return this.server.url;
  }

  get pid(): number {
    return this.server.pid;
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#watching;
    await this.server.stop();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#ended;
    while (await pause(lookEveryMs, signal)) {
      try {
        if (await findRunningPostmaster(this.folders.postgres)) continue;
        this.events.onRestarting();
        const before = this.server;
        this.server = await launch(this.folders, before.port);
        this.events.onRestarted(this.server.url !== before.url);
      } catch (error) {
        this.events.onFailure(error);
        await pause(retryAfterMs, signal);
      }
    }
  }
}

function launch(folders: HomeFolders, preferredPort?: number): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    dataDirectory: folders.postgres,
    logFile: join(folders.logs, 'postgres.log'),
    ...(preferredPort === undefined ? {} : { preferredPort }),
  });
}

/** False when it was cut short by the signal. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return sleep(milliseconds, true, { signal }).catch(() => false);
}
