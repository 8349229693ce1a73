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
import {
  OwnMetrics,
  PlatformModule,
  type Adapters,
  type ProcessSettings,
} from '#adapters/platform.module.js';
import { RenderQueueModule } from '#adapters/render-queue.module.js';
import { QueuedDeliveriesModule, WebhookTransportModule } from '#adapters/webhooks.module.js';
import { JobRenderer, RenderSettings, RenderModule } from '#application/render/job-renderer.js';
import { WebhookModule } from '#application/webhook/webhook.module.js';
import { WebhookObserver, WebhookSender } from '#application/webhook/webhook-sender.js';
import { environments } from '#domain/streams.js';
import { Configuration } from '#platform/configuration.js';
import { shareConnections } from '#platform/connections.js';
import { isDiskFull } from '#platform/errors.js';
import { Logger } from '#platform/logger.js';
import type { Metrics } from '#platform/metrics.js';
import { RenderQueue, type RenderTask, type TaskOutcome } from '#render-queue/render-queue.js';
import { DeliveryQueue, type DeliveryTask } from '#render-queue/delivery-queue.js';

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
    // Where no model is remote, there can still be a task of one that was.
    for (const environment of environments) {
      for (const options of [local, remote])
        await this.queue.work(environment, options, (task, claim) => this.render(task, claim));
    }
  }

  /** Takes no further jobs, gives the running ones their grace, then leaves them to other workers. */
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
      // The queue's own pauses grow to a minute: longer than it takes to make room.
      if (isDiskFull(error)) return { kind: 'retry', afterMs: 1_000 };
      throw error;
    }
  }
}

/** What the worker stands on. When the app stops, the last one closes first. */
function adaptersFor(settings: ProcessSettings): Adapters {
  const { events } = shareConnections('worker', settings.configuration.databaseConnections);
  return [
    PlatformModule.of(settings),
    EventLogModule.with({ maxConnections: events }),
    InstallationModule.with('worker', { levels: false }),
    ObjectStorageModule,
    EnginesModule,
    RenderQueueModule.with(),
    QueuedDeliveriesModule,
    WebhookTransportModule,
  ];
}

export interface WorkerOptions {
  /** In place of those that the configuration names. */
  readonly adapters?: Adapters;
  /** Longest time that an engine gets for one attempt. */
  readonly renderTimeoutMs?: number | undefined;
}

const webhookObserver = {
  provide: WebhookObserver,
  inject: [OwnMetrics],
  useFactory: (metrics: Metrics | undefined): WebhookObserver =>
    metrics?.webhooks ?? { attempted: () => undefined, switchedOff: () => undefined },
};

@Module({})
export class WorkerModule {
  static for(settings: ProcessSettings, options: WorkerOptions = {}): DynamicModule {
    const { adapters = adaptersFor(settings), renderTimeoutMs } = options;
    return {
      module: WorkerModule,
      imports: [CqrsModule.forRoot(), ...adapters, RenderModule.with({ renderTimeoutMs }), WebhookModule],
      providers: [RenderWorker, WebhookWorker, WebhookSender, webhookObserver],
    };
  }
}

/** Calls of one endpoint at the same time, over all workers: a slow one leaves the others their places. */
const endpointConcurrency = 2;

/**
 * Takes deliveries of both environments from their queue and calls endpoints, for as long as the app runs: beside the
 * renders, in places of its own. It waits for others' servers nearly all of its time, so renders hardly notice it. The
 * render queue, which it shares the connection of, stops it.
 */
@Injectable()
export class WebhookWorker implements OnApplicationBootstrap {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly sender: WebhookSender,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { concurrency } = this.configuration.webhooks;
    for (const environment of environments)
      await this.queue.work(
        environment,
        { remote: true, concurrency, tenantConcurrency: endpointConcurrency },
        (task, claim) => this.send(task, claim),
      );
  }

  private async send(task: DeliveryTask, claim: AbortSignal): Promise<TaskOutcome> {
    try {
      return await this.sender.send(task, claim);
    } catch (error) {
      this.logger.error({ err: error, ...task }, 'a webhook could not be sent and will be tried again');
      throw error;
    }
  }
}
