import { Module } from '@nestjs/common';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import { AccountModule } from '../account/account.module.js';
import { Announcements, Listeners } from '../announcements.js';
import { Authenticator } from '../key/authenticator.js';
import { KeyModule } from '../key/key.module.js';
import { AccountRates, RateLimiter } from './rate-limiter.js';
import { Attempts } from './attempts.js';
import { RateLimitStore } from './rate-limit-store.js';

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
    {
      provide: RateLimiter,
      inject: [RateLimitStore, AccountRates, Logger],
      useFactory: (store: RateLimitStore, rates: AccountRates, logger: Logger) =>
        new RateLimiter(store, rates, (err) =>
          logger.warn({ err }, 'the rate limit is counted by this process alone right now'),
        ),
    },
  ],
  exports: [KeyModule, Attempts, RateLimiter],
})
export class LimitsModule {}
