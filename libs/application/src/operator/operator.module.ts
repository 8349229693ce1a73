import { Module } from '@nestjs/common';
import {
  AddOperatorHandler,
  RecordActionHandler,
  RevokeOperatorHandler,
  WelcomeOperatorHandler,
} from './manage-operators.handler.js';

/** Operators, and what they did. */
@Module({
  providers: [AddOperatorHandler, WelcomeOperatorHandler, RevokeOperatorHandler, RecordActionHandler],
})
export class OperatorModule {}
