import { join } from 'node:path';
import {
  EmbeddedPostgresError,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '#platform/embedded-postgres.js';
import { findRunningPostmaster } from '#platform/embedded-postgres/postmaster.js';
import { messageOf } from '#platform/errors.js';
import { withConnection } from '#platform/postgres.js';
import { pause } from '#platform/retry.js';
import { StartError } from './console.js';
import type { HomeFolders } from './home.js';

/** The PostgreSQL server that everything runs on. */
export interface Database {
  readonly url: string;
  /** Ends the server if this process started it. When it resolves, committed data is on the disk. */
  stop(): Promise<void>;
}

/** Long, because modules are loaded meanwhile. A busy machine then handles the answer seconds later. */
const connectTimeoutMs = 15_000;

/**
 * The operator's own server. This process neither starts nor stops it.
 * @throws StartError when it does not answer
 */
export async function externalDatabase(url: string): Promise<Database> {
  await withConnection({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs }, (client) =>
    client.query('select 1'),
  ).catch((error: unknown) => {
    throw new StartError(
      `DATABASE_URL cannot be used: ${messageOf(error)}. Start that server or correct the URL; ` +
        'without DATABASE_URL an embedded PostgreSQL is used',
    );
  });
  return { url, stop: () => Promise.resolve() };
}

interface EmbeddedDatabaseEvents {
  onRestarting(): void;
  /** `moved`: the server has a new port, because another process took the old one. */
  onRestarted(moved: boolean): void;
  onFailure(error: unknown): void;
}

const lookEveryMs = 500;
const retryAfterMs = 5_000;

/**
 * Watches the PostgreSQL server that npm installed. When the server dies, it is started again on the same port,
 * so that the pools of all processes find it.
 */
export class EmbeddedDatabase implements Database {
  private readonly ended = new AbortController();
  private watching: Promise<void> = Promise.resolve();

  private constructor(
    private server: EmbeddedPostgres,
    private readonly folders: HomeFolders,
    private readonly events: EmbeddedDatabaseEvents,
  ) {}

  /** @throws StartError with PostgreSQL's own reason */
  static async start(folders: HomeFolders, events: EmbeddedDatabaseEvents): Promise<EmbeddedDatabase> {
    try {
      const database = new EmbeddedDatabase(await launch(folders), folders, events);
      database.watching = database.watch();
      return database;
    } catch (error) {
      if (error instanceof EmbeddedPostgresError) throw new StartError(error.message);
      throw error;
    }
  }

  get url(): string {
    return this.server.url;
  }

  async stop(): Promise<void> {
    this.ended.abort();
    await this.watching;
    await this.server.stop();
  }

  private async watch(): Promise<void> {
    const { signal } = this.ended;
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
