import {
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EnginesModule } from '#adapters/engines.module.js';
import { EventLogModule } from '#adapters/event-log.module.js';
import { InstallationModule } from '#adapters/installation.module.js';
import { ObjectStorageModule } from '#adapters/object-storage.module.js';
import { PlatformModule, type Adapters, type ProcessSettings } from '#adapters/platform.module.js';
import { QueueDatabaseModule, RenderQueueModule } from '#adapters/render-queue.module.js';
import { modulesFor } from '#capabilities/parts.js';
import { JobRenderer, RenderSettings } from '#application/render/job-renderer.js';
import { RenderModule } from '#application/render/render.module.js';
import { environments } from '#domain/streams.js';
import { Configuration } from '#platform/configuration.js';
import { shareConnections } from '#platform/connections.js';
import { isDiskFull } from '#platform/errors.js';
import { Logger } from '#platform/logger.js';
import { RenderQueue, type RenderTask, type TaskOutcome } from '#render-queue/render-queue.js';

/** Takes jobs of both environments from the queue and renders them, for as long as the app runs. */
@Injectable()
export class RenderWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(RenderSettings) private readonly settings: RenderSettings,
    private readonly queue: RenderQueue,
    private readonly renderer: JobRenderer,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  get id(): string {
    return this.settings.workerId;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { workerConcurrency, tenantConcurrency, remoteConcurrency, remoteTenantConcurrency } =
      this.configuration;
    const local = { concurrency: workerConcurrency, tenantConcurrency };
    const remote = {
      remote: true,
      concurrency: remoteConcurrency,
      tenantConcurrency: remoteTenantConcurrency,
    };
    // Even if there are no remote models, the queue may hold a task of a model that was remote before.
    for (const environment of environments) {
      for (const options of [local, remote])
        await this.queue.work(environment, options, (task, claim) => this.render(task, claim));
    }
  }

  /**
   * Takes no further jobs, and gives the running ones their grace. After that it leaves them to other workers.
   */
  async onApplicationShutdown(): Promise<void> {
    await this.queue.stop(this.configuration.stopGraceMs);
  }

  private async render(task: RenderTask, claim: AbortSignal): Promise<TaskOutcome> {
    try {
      return await this.renderer.render(task, claim);
    } catch (error) {
      if (claim.aborted) return { kind: 'retry', afterMs: 0 };
      const facts = { err: error, worker: this.id, ...task };
      this.logger.error(facts, 'a job could not be rendered and will be tried again');
      // The queue's own pauses grow to a minute. Making room takes less time.
      if (isDiskFull(error)) return { kind: 'retry', afterMs: 1_000 };
      throw error;
    }
  }
}

/** The adapters of the worker. When the app stops, the last one closes first. */
function adaptersFor(settings: ProcessSettings): Adapters {
  const { events } = shareConnections('worker', settings.configuration.databaseConnections);
  return [
    PlatformModule.of(settings),
    EventLogModule.with({ maxConnections: events }),
    InstallationModule.with('worker', { levels: false }),
    ObjectStorageModule,
    EnginesModule,
    RenderQueueModule.with(),
    QueueDatabaseModule,
  ];
}

export interface WorkerOptions {
  /** In place of those that the configuration names. */
  readonly adapters?: Adapters;
  /** Longest time that an engine gets for one attempt. */
  readonly renderTimeoutMs?: number | undefined;
}

@Module({})
export class WorkerModule {
  static for(settings: ProcessSettings, options: WorkerOptions = {}): DynamicModule {
    const { adapters = adaptersFor(settings), renderTimeoutMs } = options;
    return {
      module: WorkerModule,
      imports: [
        CqrsModule.forRoot(),
        ...adapters,
        RenderModule.with({ renderTimeoutMs }),
        ...modulesFor('worker'),
      ],
      providers: [RenderWorker],
    };
  }
}
