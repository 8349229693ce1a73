import { Module } from '@nestjs/common';
import { StreamCommandsModule } from '../stream-commands.module.js';
import { Authenticator } from './authenticator.js';
import { IssueKeyHandler, RotateKeyHandler } from './manage-keys.handler.js';

/** API keys: issued, rotated and revoked, and the callers behind them. */
@Module({
  imports: [StreamCommandsModule],
  providers: [Authenticator, IssueKeyHandler, RotateKeyHandler],
  exports: [Authenticator],
})
export class KeyModule {}
