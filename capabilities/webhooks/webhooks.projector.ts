import { Module } from '@nestjs/common';
import { AccountModule } from '#application/account/account.module.js';
import { DeliveryCare } from './delivery-care.js';
import { deliveryQueueProvider } from './delivery-queue.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import { WebhooksModule } from './webhooks.module.js';

/** Finds the messages that have to be sent. */
@Module({
  imports: [AccountModule, WebhooksModule],
  providers: [deliveryQueueProvider, WebhookDispatcher, DeliveryCare],
})
export class WebhooksProjectorModule {}
