import { Module } from '@nestjs/common';
import { McpController } from './mcp.controller.js';
import { Offers } from './offers.js';
import { OwnApi } from './own-api.js';

/** `/mcp`. */
@Module({ providers: [Offers, OwnApi], controllers: [McpController] })
export class McpApiModule {}
