import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import { Database } from '#read-store/database.js';
import { ModelPlaces } from '#render-queue/model-places.js';
import { PgBossRenderQueue, type PgBossSettings } from '#render-queue/pg-boss-render-queue.js';
import { RenderQueue, TaskQueues } from '#render-queue/render-queue.js';
import { Stopping } from './platform.module.js';
import { untilReached } from './until-reached.js';

/** The render queue in PostgreSQL. The app starts once the queue can be reached. */
@Global()
@Module({})
export class RenderQueueModule implements OnApplicationShutdown {
  constructor(private readonly queue: RenderQueue) {}

  static with(options: Pick<PgBossSettings, 'supervise'> = {}): DynamicModule {
    return {
      module: RenderQueueModule,
      providers: [
        {
          provide: RenderQueue,
          inject: [Configuration, Logger, Stopping],
          useFactory: (urls: Configuration, logger: Logger, stopping: AbortSignal) => {
            const start = () => PgBossRenderQueue.start({ url: urls.databaseUrl, logger, ...options });
            return untilReached(start, urls, logger, stopping);
          },
        },
        { provide: TaskQueues, useExisting: RenderQueue },
        {
          provide: ModelPlaces,
          inject: [RenderQueue],
          useFactory: ({ places }: PgBossRenderQueue) => places,
        },
      ],
      exports: [RenderQueue, TaskQueues, ModelPlaces],
    };
  }

  /**
   * Consumers of the queue stop before this, and wait for their tasks. A task that still runs now goes back
   * into the queue.
   */
  async onApplicationShutdown(): Promise<void> {
    await this.queue.stop(0);
  }
}

/** For a process without a connection for read models: it uses the connection of its queues. */
@Global()
@Module({
  providers: [
    {
      provide: Database,
      inject: [RenderQueue],
      useFactory: ({ database }: PgBossRenderQueue): Database => database,
    },
  ],
  exports: [Database],
})
export class QueueDatabaseModule {}
