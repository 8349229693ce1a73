import { Module } from '@nestjs/common';
import { ConsistencyModule } from '#application/consistency/consistency.module.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksModule } from './webhooks.module.js';

/** `/v1/webhooks`. */
@Module({ imports: [ConsistencyModule, WebhooksModule], controllers: [WebhooksController] })
export class WebhooksApiModule {}
