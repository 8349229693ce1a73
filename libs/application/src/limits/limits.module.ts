import { Module } from '@nestjs/common';
import { Configuration } from '#platform/configuration.js';
import { AccountModule } from '../account/account.module.js';
import { Announcements, Listeners } from '../announcements.js';
import { Authenticator } from '../key/authenticator.js';
import { KeyModule } from '../key/key.module.js';
import { AccountRates, RateLimiter } from './rate-limiter.js';
import { Attempts } from './attempts.js';

/** Whom a request is let in for, and how often. What is remembered of keys and plans follows the log. */
@Module({
  imports: [AccountModule, KeyModule],
  providers: [
    AccountRates,
    Announcements,
    {
      provide: Listeners,
      inject: [Authenticator, AccountRates],
      useFactory: (keys: Authenticator, rates: AccountRates) => [keys, rates],
    },
    {
      provide: Attempts,
      inject: [Configuration],
      useFactory: ({ authFailuresPerMin }: Configuration) => new Attempts(authFailuresPerMin),
    },
    RateLimiter,
  ],
  exports: [KeyModule, Attempts, RateLimiter],
})
export class LimitsModule {}
