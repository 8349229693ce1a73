import { Module } from '@nestjs/common';
import { DecideGrantHandler, ProposeGrantHandler } from './manage-grants.handler.js';

/** Credits by payment: proposed, approved, credited once. */
@Module({ providers: [ProposeGrantHandler, DecideGrantHandler] })
export class GrantModule {}
