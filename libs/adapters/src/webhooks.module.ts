import { Global, Module } from '@nestjs/common';
import { Deliveries, WebhookTransport } from '#application/webhook/deliveries.js';
import { Configuration } from '#platform/configuration.js';
import { PostgresDeliveries } from '#read-store/webhook-deliveries.js';
import type { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { RenderQueue } from '#render-queue/render-queue.js';
import { HttpWebhooks } from './http-webhooks.js';

/** How endpoints are called. */
@Global()
@Module({
  providers: [
    {
      provide: WebhookTransport,
      inject: [Configuration],
      useFactory: ({ webhooks }: Configuration) => new HttpWebhooks(webhooks),
    },
  ],
  exports: [WebhookTransport],
})
export class WebhookTransportModule {}

/** Deliveries for a process that has no connection for read models: on that of its queues. */
@Global()
@Module({
  providers: [
    {
      provide: Deliveries,
      inject: [RenderQueue],
      useFactory: ({ database }: PgBossRenderQueue) => new PostgresDeliveries(database),
    },
  ],
  exports: [Deliveries],
})
export class QueuedDeliveriesModule {}
