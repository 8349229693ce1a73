import { Module } from '@nestjs/common';
import { Authenticator } from './authenticator.js';
import { keyHandlers } from './manage-keys.handler.js';

/** API keys: issued, rotated and revoked, and the callers behind them. */
@Module({ providers: [Authenticator, ...keyHandlers], exports: [Authenticator] })
export class KeyModule {}
