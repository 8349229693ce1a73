import { Inject, Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { environments } from '#domain/streams.js';
import { Logger } from '#platform/logger.js';
import type { TaskOutcome } from '#render-queue/render-queue.js';
import { BucketsModule } from './buckets.module.js';
import { PushQueue, pushQueueProvider } from './push-queue.js';
import { PushSender } from './push-sender.js';
import type { PushTask } from './push.task.js';

/**
 * Pushes that a worker makes at the same time in each environment, each with one picture in memory; and those of one
 * tenant in all workers, so that a slow bucket leaves places for others.
 */
const places = { remote: true, concurrency: 4, tenantConcurrency: 2 };

/** Takes pushes of both environments from their queue. It works beside the renders, in places of its own. */
@Injectable()
export class PushWorker implements OnApplicationBootstrap {
  constructor(
    private readonly queue: PushQueue,
    private readonly sender: PushSender,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const environment of environments)
      await this.queue.work(environment, places, (task, claim) => this.send(task, claim));
  }

  private async send(task: PushTask, claim: AbortSignal): Promise<TaskOutcome> {
    try {
      return await this.sender.send(task, claim);
    } catch (error) {
      this.logger.error({ err: error, ...task }, 'pictures could not be pushed and will be tried again');
      throw error;
    }
  }
}

@Module({
  imports: [BucketsModule],
  providers: [pushQueueProvider, PushSender, PushWorker],
})
export class BucketsWorkerModule {}
