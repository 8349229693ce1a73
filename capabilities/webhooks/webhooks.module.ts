import { Module } from '@nestjs/common';
import { Configuration } from '#platform/configuration.js';
import { Database } from '#read-store/database.js';
import { WebhookTransport } from './deliveries.js';
import { HttpWebhooks } from './http-webhooks.js';
import { webhookHandlers } from './manage-webhooks.handler.js';
import { Deliveries } from './postgres-deliveries.js';

/** Webhook endpoints: registering, changing and testing them, and listing their deliveries. */
@Module({
  providers: [
    ...webhookHandlers,
    {
      provide: WebhookTransport,
      inject: [Configuration],
      useFactory: ({ webhooks }: Configuration) => new HttpWebhooks(webhooks),
    },
    {
      provide: Deliveries,
      inject: [Database],
      useFactory: (database: Database) => new Deliveries(database),
    },
  ],
  exports: [WebhookTransport, Deliveries],
})
export class WebhooksModule {}
