import { Global, Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { Checkpoints } from '#application/consistency/read-your-writes.js';
import { IdempotencyStore } from '#application/dispatch/idempotency.js';
import { MemoryRateLimitStore, RateLimitStore, UsedOnce } from '#application/limits/rate-limit-store.js';
import { JobStreams, JobsWithoutTask, ReadModels, type EnvironmentReads } from '#application/read-models.js';
import type { Environment } from '#domain/streams.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import { readersOf } from '#projections/readers-of.js';
import { readModelEntities } from '#projections/read-models.js';
import { CheckpointWatcher } from '#read-store/checkpoint-watcher.js';
import { createDataSource, idleTimeoutMillis, type Queries } from '#read-store/data-source.js';
import { PostgresIdempotencyStore } from '#read-store/idempotency-store.js';
import { PostgresRateLimitStore } from '#read-store/rate-limit-store.js';
import { Database } from '#read-store/database.js';
import { RenderQueue } from '#render-queue/render-queue.js';
import { Stopping } from './platform.module.js';
import { StoredJobs } from './stored-jobs.js';
import { untilReached } from './until-reached.js';
import { StoredJobsWithoutTask } from './stored-jobs-without-task.js';

/** The read models of both environments on connections of their own. */
class StoredReadModels extends ReadModels {
  private readonly reads: Readonly<Record<Environment, EnvironmentReads>>;

  private constructor(private readonly sources: Readonly<Record<Environment, DataSource>>) {
    super();
    this.reads = { live: readersOf(sources.live), test: readersOf(sources.test) };
  }

  /** @throws what the database throws, and keeps no connection then */
  static async open(url: string, poolSize: number): Promise<StoredReadModels> {
    const open = (schema: Environment) =>
      createDataSource({ url, schema, entities: readModelEntities, poolSize }).initialize();
    const live = await open('live');
    try {
      return new StoredReadModels({ live, test: await open('test') });
    } catch (error) {
      await live.destroy();
      throw error;
    }
  }

  of(environment: Environment): EnvironmentReads {
    return this.reads[environment];
  }

  /** One of its connections, for statements that name their schema. */
  get database(): Queries {
    return {
      query: async (text, values) => {
        await using runner = this.sources.live.createQueryRunner();
        // Only the structured result has the rows of every kind of statement.
        const { records } = await runner.query(text, values, true);
        return { rows: records };
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.sources).map((source) => source.destroy()));
  }
}

/** The read models. The app starts once their database can be reached. */
@Global()
@Module({})
export class ReadStoreModule implements OnApplicationShutdown {
  constructor(private readonly reads: ReadModels) {}

  /** @param maxConnections of each environment */
  static with({ maxConnections }: { readonly maxConnections: number }): DynamicModule {
    return {
      module: ReadStoreModule,
      providers: [
        {
          provide: ReadModels,
          inject: [Configuration, Logger, Stopping],
          useFactory: (urls: Configuration, logger: Logger, stopping: AbortSignal) => {
            const open = () => StoredReadModels.open(urls.databaseUrl, maxConnections);
            return untilReached(open, urls, logger, stopping);
          },
        },
        { provide: JobStreams, useClass: StoredJobs },
        {
          provide: Database,
          inject: [ReadModels],
          useFactory: ({ database }: StoredReadModels): Database => database,
        },
      ],
      exports: [ReadModels, JobStreams, Database],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    // Overridden by tests with objects that have nothing to close.
    if (this.reads instanceof StoredReadModels) await this.reads.close();
  }
}

/**
 * The position of each read model, from one connection that listens. The app starts once the positions are
 * known.
 */
@Global()
@Module({
  providers: [
    {
      provide: CheckpointWatcher,
      inject: [Configuration, Logger, Stopping],
      useFactory: (urls: Configuration, log: Logger, stopping: AbortSignal) => {
        const started = async () => {
          const watcher = new CheckpointWatcher({ url: urls.databaseUrl, log });
          await watcher.start();
          return watcher;
        };
        return untilReached(started, urls, log, stopping);
      },
    },
    { provide: Checkpoints, useExisting: CheckpointWatcher },
  ],
  exports: [Checkpoints],
})
export class CheckpointsModule implements OnApplicationShutdown {
  constructor(private readonly watcher: CheckpointWatcher) {}

  async onApplicationShutdown(): Promise<void> {
    await this.watcher.stop();
  }
}

const keyPool = Symbol('connections for Idempotency-Keys and rate limits');

/** Idempotency-Keys and rate limits: every request may have to check them before its work begins. */
@Global()
@Module({})
export class RequestStoresModule implements OnApplicationShutdown {
  constructor(
    @Inject(keyPool) private readonly pool: pg.Pool,
    private readonly idempotency: IdempotencyStore,
  ) {}

  static with({ maxConnections: max }: { readonly maxConnections: number }): DynamicModule {
    return {
      module: RequestStoresModule,
      providers: [
        {
          provide: keyPool,
          inject: [Configuration, Logger],
          useFactory: ({ databaseUrl: connectionString }: Configuration, logger: Logger) =>
            watched({ connectionString, max, connectionTimeoutMillis: 5_000 }, logger),
        },
        {
          provide: IdempotencyStore,
          inject: [keyPool],
          useFactory: (pool: pg.Pool) => new PostgresIdempotencyStore(pool),
        },
        {
          provide: RateLimitStore,
          inject: [Configuration, keyPool],
          useFactory: ({ rateLimitStore }: Configuration, pool: pg.Pool) =>
            rateLimitStore === 'postgres' ? new PostgresRateLimitStore(pool) : new MemoryRateLimitStore(),
        },
        {
          provide: UsedOnce,
          inject: [keyPool],
          useFactory: (pool: pg.Pool) => new PostgresRateLimitStore(pool),
        },
      ],
      exports: [IdempotencyStore, RateLimitStore, UsedOnce],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.idempotency instanceof PostgresIdempotencyStore) await this.idempotency.close();
    await this.pool.end();
  }
}

const housekeepingPool = Symbol('a connection for housekeeping');

/** Data that requests leave behind and housekeeping deletes, on one connection. */
@Global()
@Module({
  providers: [
    {
      provide: housekeepingPool,
      inject: [Configuration, Logger],
      useFactory: ({ databaseUrl: connectionString }: Configuration, logger: Logger) =>
        watched({ connectionString, max: 1, idleTimeoutMillis }, logger),
    },
    {
      provide: JobsWithoutTask,
      inject: [housekeepingPool, RenderQueue],
      useFactory: (pool: pg.Pool, queue: RenderQueue) => new StoredJobsWithoutTask(pool, queue),
    },
    ...[PostgresIdempotencyStore, PostgresRateLimitStore].map((Store) => ({
      provide: Store,
      inject: [housekeepingPool],
      useFactory: (pool: pg.Pool) => new Store(pool),
    })),
  ],
  exports: [JobsWithoutTask, PostgresIdempotencyStore, PostgresRateLimitStore],
})
export class HousekeepingStoresModule implements OnApplicationShutdown {
  constructor(@Inject(housekeepingPool) private readonly pool: pg.Pool) {}

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

/** A pool connects with its first query. */
function watched(options: pg.PoolConfig, logger: Logger): pg.Pool {
  const pool = new pg.Pool(options);
  // A connection that breaks while it is idle is replaced at the next use.
  pool.on('error', (err) => logger.warn({ err }, 'a database connection broke'));
  return pool;
}
