import { Module } from '@nestjs/common';
import { Authenticator } from './authenticator.js';

/** API keys. */
@Module({ providers: [Authenticator], exports: [Authenticator] })
export class KeyModule {}
