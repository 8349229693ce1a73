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
import { ObjectStorageModule } from '#adapters/object-storage.module.js';
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
  webhookDispatcher,
  webhookDispatcherFilter,
} from '#application/process-managers/process-managers.js';
import { BatchParents } from '#application/process-managers/batch-parents.js';
import { ChargeCloser } from '#application/process-managers/charge-closer.js';
import { ProcessManagersModule } from '#application/process-managers/process-managers.module.js';
import { RenderDispatcher } from '#application/process-managers/render-dispatcher.js';
import { KeptAnswers } from '#application/render/kept-answers.js';
import { SealsModule } from '#application/seals/seal-range.handler.js';
import {
  hasWork,
  WebhookDispatcher,
  type WebhookWork,
} from '#application/process-managers/webhook-dispatcher.js';
import { Deliveries } from '#application/webhook/deliveries.js';
import { environments, type Environment } from '#domain/streams.js';
import { openSpan } from '#platform/tracing.js';
import { readModels } from '#projections/read-models.js';
import { processTask, type ProcessOptions } from '#read-store/process-runner.js';
import { ProjectionRunner } from '#read-store/projection-runner.js';
import { runTasks, type Task } from '#read-store/exclusive-session.js';
import { RenderQueue, type QueueTransaction, type RenderTask } from '#render-queue/render-queue.js';
import { DeliveryQueue } from '#render-queue/delivery-queue.js';
import { Housekeeping } from './housekeeping.js';
import { Sealing } from './sealing.js';
import { EventStore, type EventFilter } from '#event-store/event-store.js';
import { Configuration } from '#platform/configuration.js';
import { shareConnections } from '#platform/connections.js';
import { Logger } from '#platform/logger.js';

/**
 * Runs the read models and the process managers of both environments. Any number of projectors may run: each of
 * these tasks is active in one of them, and the others stand by to take it over.
 */
@Injectable()
export class Projector implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly projections = new Map<Environment, ProjectionRunner>();
  private running: Promise<unknown> | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly queue: RenderQueue,
    private readonly dispatcher: RenderDispatcher,
    private readonly closer: ChargeCloser,
    private readonly batches: BatchParents,
    private readonly webhooks: WebhookDispatcher,
    private readonly deliveries: Deliveries,
    private readonly deliveryQueue: DeliveryQueue,
    private readonly housekeeping: Housekeeping,
    private readonly sealing: Sealing,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** The tasks that stand still in this process until its next start, as `live projections`. */
  standingStill(): readonly string[] {
    const halted = environments.filter(
      (environment) => this.projections.get(environment)?.status.state === 'halted',
    );
    const names = halted.map((environment) => `${environment} projections`);
    return this.sealing.refused ? [...names, 'seals'] : names;
  }

  onApplicationBootstrap(): void {
    const { signal } = this.stopping;
    const { databaseUrl: url, projector } = this.configuration;
    const { takeOverPollMs } = projector;
    // The log is one for all environments, and sealed in the session of the first.
    const ofAll = this.sealing.tasks();
    const tasks = environments.flatMap((environment, index) => [
      runTasks({
        url,
        tasks: [...this.tasksOf(environment), ...(index === 0 ? ofAll : [])],
        signal,
        log: this.logger,
        takeOverPollMs,
      }),
      this.housekeeping.run(environment, signal),
    ]);
    this.running = Promise.all(tasks);
  }

  /** Finishes the batches at hand. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private tasksOf(environment: Environment): Task[] {
    const { store: eventStore, logger: log } = this;
    const { projectionBatch, processBatch } = this.configuration.projector;
    const { databaseUrl: url } = this.configuration;
    const common = { eventStore, environment, log };
    const projections = new ProjectionRunner({ ...common, url, readModels, batchSize: projectionBatch });
    this.projections.set(environment, projections);
    const follow = (
      name: string,
      filter: (environment: Environment) => EventFilter,
      handle: ProcessOptions['handle'],
      more: Pick<ProcessOptions, 'begin'> = {},
    ) =>
      processTask({ ...common, ...more, name, filter: filter(environment), handle, batchSize: processBatch });
    return [
      projections,
      follow(renderDispatcher, renderDispatcherFilter, async (events) => {
        const tasks = await this.dispatcher.tasksOf(environment, events);
        return tasks.length === 0 ? undefined : (tx) => enqueue(this.queue, tasks, tx);
      }),
      follow(chargeCloser, chargeCloserFilter, (events) => this.closer.handle(environment, events)),
      follow(batchParents, batchParentsFilter, (events) => this.batches.handle(environment, events)),
      follow(
        webhookDispatcher,
        webhookDispatcherFilter,
        async (events) => {
          const work = await this.webhooks.workOf(environment, events);
          return hasWork(work) ? (tx) => this.writeDeliveries(environment, work, tx) : undefined;
        },
        { begin: () => this.webhooks.begin(environment) },
      ),
    ];
  }

  private async writeDeliveries(
    environment: Environment,
    { deliveries, resends }: WebhookWork,
    tx: QueueTransaction,
  ): Promise<void> {
    const tasks = await this.deliveries.add(environment, deliveries, tx);
    for (const resend of resends) tasks.push(...(await this.deliveries.resend(environment, resend, tx)));
    await this.deliveryQueue.enqueue(tasks, tx);
  }
}

/** What the projector stands on. When the app stops, the last one closes first. */
function adaptersFor(settings: ProcessSettings): Adapters {
  const { events } = shareConnections('projector', settings.configuration.databaseConnections);
  return [
    PlatformModule.of(settings),
    EventLogModule.with({ maxConnections: events }),
    ReadStoreModule.with({ maxConnections: 1 }),
    HousekeepingStoresModule,
    InstallationModule.with('projector', { levels: true }),
    RenderQueueModule.with({ supervise: false }),
    ObjectStorageModule,
  ];
}

@Module({})
export class ProjectorModule {
  /** @param adapters in place of those that the configuration names */
  static for(settings: ProcessSettings, adapters: Adapters = adaptersFor(settings)): DynamicModule {
    return {
      module: ProjectorModule,
      imports: [CqrsModule.forRoot(), ...adapters, ProcessManagersModule, SealsModule],
      providers: [Projector, Housekeeping, KeptAnswers, Sealing],
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
