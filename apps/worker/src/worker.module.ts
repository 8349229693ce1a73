import {
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { EnginesModule } from '#adapters/engines.module.js';
import { EventLogModule } from '#adapters/event-log.module.js';
import { InstallationModule } from '#adapters/installation.module.js';
import { ObjectStorageModule } from '#adapters/object-storage.module.js';
import { PlatformModule, type Adapters, type ProcessSettings } from '#adapters/platform.module.js';
import { RenderQueueModule } from '#adapters/render-queue.module.js';
import { Cancellations } from '#application/render/cancellations.js';
import { ImageEngines } from '#application/render/image-engines.js';
import { JobRenderer } from '#application/render/job-renderer.js';
import { environments } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { newId } from '#platform/ids.js';
import { Logger } from '#platform/logger.js';
import { RenderQueue, type RenderTask, type TaskOutcome } from '#render-queue/render-queue.js';
import { ObjectStorage } from '#storage/object-storage.js';

const workerId = Symbol('the name of this worker');

/** Takes jobs of both environments from the queue and renders them, for as long as the app runs. */
@Injectable()
export class RenderWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    /** As it stands in RenderStarted. It names no host. */
    @Inject(workerId) readonly id: string,
    private readonly queue: RenderQueue,
    private readonly renderer: JobRenderer,
    private readonly cancellations: Cancellations,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.cancellations.start();
    const { workerConcurrency: concurrency, tenantConcurrency } = this.configuration;
    for (const environment of environments) {
      await this.queue.work(environment, { concurrency, tenantConcurrency }, (task, claim) =>
        this.render(task, claim),
      );
    }
  }

  /** Takes no further jobs, gives the running ones their grace, then leaves them to other workers. */
  async onApplicationShutdown(): Promise<void> {
    await this.queue.stop(this.configuration.stopGraceMs);
    await this.cancellations.stop();
  }

  private async render(task: RenderTask, claim: AbortSignal): Promise<TaskOutcome> {
    try {
      return await this.renderer.render(task, claim);
    } catch (error) {
      if (claim.aborted) return { kind: 'retry', afterMs: 0 };
      const facts = { err: error, worker: this.id, ...task };
      this.logger.error(facts, 'a job could not be rendered and will be tried again');
      throw error;
    }
  }
}

/** What the worker stands on. When the app stops, the last one closes first. */
function adaptersFor(settings: ProcessSettings): Adapters {
  return [
    PlatformModule.of(settings),
    EventLogModule.with(),
    InstallationModule.with({ levels: false }),
    ObjectStorageModule,
    EnginesModule,
    RenderQueueModule,
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
    const timeout = renderTimeoutMs === undefined ? {} : { renderTimeoutMs };
    return {
      module: WorkerModule,
      imports: adapters,
      providers: [
        RenderWorker,
        { provide: workerId, useFactory: () => `worker-${newId()}` },
        {
          provide: Cancellations,
          inject: [EventStore, Logger],
          useFactory: (store: EventStore, logger: Logger) => new Cancellations(store, logger),
        },
        {
          provide: JobRenderer,
          inject: [workerId, EventStore, ObjectStorage, ImageEngines, Cancellations, Clock, Logger],
          useFactory: (
            id: string,
            store: EventStore,
            storage: ObjectStorage,
            engines: ImageEngines,
            cancellations: Cancellations,
            clock: Clock,
            logger: Logger,
          ) =>
            new JobRenderer({
              worker: { id, store, clock },
              logger: logger.child({ worker: id }),
              ...{ storage, engines, cancellations, ...timeout },
            }),
        },
      ],
    };
  }
}
