import { Module } from '@nestjs/common';
import {
  AddOperatorHandler,
  RevokeOperatorHandler,
  WelcomeOperatorHandler,
} from './manage-operators.handler.js';

/** Operators: let in, welcomed and revoked. */
@Module({ providers: [AddOperatorHandler, WelcomeOperatorHandler, RevokeOperatorHandler] })
export class SignInModule {}
