import {
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EventLogModule } from '#adapters/event-log.module.js';
import { InstallationModule } from '#adapters/installation.module.js';
import { PlatformModule, type Adapters, type ProcessSettings } from '#adapters/platform.module.js';
import { HousekeepingStoresModule, ReadStoreModule } from '#adapters/read-store.module.js';
import { RenderQueueModule } from '#adapters/render-queue.module.js';
import {
  batchParents,
  batchParentsFilter,
  chargeCloser,
  chargeCloserFilter,
  renderDispatcher,
  renderDispatcherFilter,
} from '#application/process-managers/process-managers.js';
import { BatchParents } from '#application/process-managers/batch-parents.js';
import { ChargeCloser } from '#application/process-managers/charge-closer.js';
import { ProcessManagersModule } from '#application/process-managers/process-managers.module.js';
import { RenderDispatcher } from '#application/process-managers/render-dispatcher.js';
import { environments, type Environment } from '#domain/streams.js';
import { openSpan } from '#platform/tracing.js';
import { readModels } from '#projections/read-models.js';
import { runProcess, type ProcessHandler } from '#read-store/process-runner.js';
import { ProjectionRunner } from '#read-store/projection-runner.js';
import { RenderQueue, type QueueTransaction, type RenderTask } from '#render-queue/render-queue.js';
import { Housekeeping } from './housekeeping.js';
import { EventStore, type EventFilter } from '#event-store/event-store.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';

/**
 * Runs the read models and the process managers of both environments. Any number of projectors may run: each of
 * these tasks is active in one of them, and the others stand by to take it over.
 */
@Injectable()
export class Projector implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly halted: string[] = [];
  private running: Promise<unknown> | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly queue: RenderQueue,
    private readonly dispatcher: RenderDispatcher,
    private readonly closer: ChargeCloser,
    private readonly batches: BatchParents,
    private readonly housekeeping: Housekeeping,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** The tasks that stand still in this process until its next start, as `live projections`. */
  standingStill(): readonly string[] {
    return this.halted;
  }

  onApplicationBootstrap(): void {
    const tasks = environments.flatMap((environment) =>
      this.tasksOf(environment).map(({ name, running }) =>
        running.catch((error: unknown) => {
          // The others go on: a read model that stands still must not keep a charge open.
          this.halted.push(`${environment} ${name}`);
          const facts = { err: error, environment, task: name };
          this.logger.fatal(facts, `${name} stands still until the next start`);
        }),
      ),
    );
    this.running = Promise.all(tasks);
  }

  /** Finishes the batches at hand. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private tasksOf(environment: Environment): RunningTask[] {
    const { store: eventStore, logger: log } = this;
    const { signal } = this.stopping;
    const { databaseUrl: url, projector } = this.configuration;
    const { takeOverPollMs, projectionBatch, processBatch } = projector;
    const common = { url, eventStore, environment, log, takeOverPollMs };
    const process = { ...common, signal, batchSize: processBatch };
    const projections = new ProjectionRunner({ ...common, readModels, batchSize: projectionBatch });
    const follow = (
      name: string,
      filter: (environment: Environment) => EventFilter,
      handler: ProcessHandler,
    ): RunningTask => ({
      name,
      running: runProcess({ ...process, ...handler, name, filter: filter(environment) }),
    });
    return [
      { name: 'projections', running: projections.run(signal) },
      follow(renderDispatcher, renderDispatcherFilter, {
        mode: 'transactional',
        handle: async (events, tx) =>
          enqueue(this.queue, await this.dispatcher.tasksOf(environment, events), tx),
      }),
      follow(chargeCloser, chargeCloserFilter, {
        mode: 'at-least-once',
        handle: (events) => this.closer.handle(environment, events),
      }),
      follow(batchParents, batchParentsFilter, {
        mode: 'at-least-once',
        handle: (events) => this.batches.handle(environment, events),
      }),
      { name: 'housekeeping', running: this.housekeeping.run(environment, signal) },
    ];
  }
}

interface RunningTask {
  readonly name: string;
  readonly running: Promise<unknown>;
}

/** What the projector stands on. When the app stops, the last one closes first. */
function adaptersFor(settings: ProcessSettings): Adapters {
  return [
    PlatformModule.of(settings),
    EventLogModule.with(),
    ReadStoreModule.with({ maxConnections: 1 }),
    HousekeepingStoresModule,
    InstallationModule.with({ levels: true }),
    RenderQueueModule,
  ];
}

@Module({})
export class ProjectorModule {
  /** @param adapters in place of those that the configuration names */
  static for(settings: ProcessSettings, adapters: Adapters = adaptersFor(settings)): DynamicModule {
    return {
      module: ProjectorModule,
      imports: [CqrsModule.forRoot(), ...adapters, ProcessManagersModule],
      providers: [Projector, Housekeeping],
    };
  }
}

/** All in one statement, and yet each trace sees its own tasks being enqueued. */
async function enqueue(
  queue: RenderQueue,
  tasks: readonly RenderTask[],
  tx: QueueTransaction,
): Promise<void> {
  const traces = new Map(tasks.map((task) => [task.traceparent, task]));
  traces.delete(undefined);
  const spans = [...traces].map(([parent, { environment, tenant, jobId }]) =>
    openSpan(renderDispatcher, {
      ...{ kind: 'consumer', parent },
      attributes: { 'atelier.environment': environment, 'atelier.tenant': tenant, 'atelier.job_id': jobId },
    }),
  );
  try {
    await queue.enqueue(tasks, tx);
    for (const span of spans) span.end();
  } catch (error) {
    for (const span of spans) span.end(error);
    throw error;
  }
}
