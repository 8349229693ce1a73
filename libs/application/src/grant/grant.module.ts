import { Module } from '@nestjs/common';
import { DecideGrantHandler, ProposeGrantHandler } from './manage-grants.handler.js';

@Module({ providers: [ProposeGrantHandler, DecideGrantHandler] })
export class GrantModule {}
