import { Inject, Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { OwnMetrics } from '#adapters/platform.module.js';
import { environments } from '#domain/streams.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import type { Metrics } from '#platform/metrics.js';
import type { TaskOutcome } from '#render-queue/render-queue.js';
import { DeliveryQueue, deliveryQueueProvider } from './delivery-queue.js';
import type { DeliveryTask } from './delivery.task.js';
import { countWebhooks } from './webhook-metrics.js';
import { WebhookObserver, WebhookSender } from './webhook-sender.js';
import { WebhooksModule } from './webhooks.module.js';

/**
 * Calls of one endpoint at the same time, over all workers. The limit leaves places for others when one
 * endpoint is slow.
 */
const endpointConcurrency = 2;

/**
 * Takes deliveries of both environments from their queue and calls endpoints, for as long as the app runs. It
 * works beside the renders, in places of its own. It waits for other people's servers nearly all the time, so
 * renders hardly notice it. It shares the connection of the render queue, and stops with it.
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

/** Sends the messages that the projector has found. */
@Module({
  imports: [WebhooksModule],
  providers: [
    deliveryQueueProvider,
    WebhookSender,
    WebhookWorker,
    {
      provide: WebhookObserver,
      inject: [OwnMetrics],
      useFactory: (metrics: Metrics | undefined): WebhookObserver =>
        metrics
          ? countWebhooks(metrics.registry)
          : { attempted: () => undefined, switchedOff: () => undefined },
    },
  ],
})
export class WebhooksWorkerModule {}
