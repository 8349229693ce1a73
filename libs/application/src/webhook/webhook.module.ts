import { Module } from '@nestjs/common';
import { webhookHandlers } from './manage-webhooks.handler.js';

/** Webhook endpoints: registered, changed, and asked to send. */
@Module({ providers: webhookHandlers })
export class WebhookModule {}
