import { Configuration } from '#platform/configuration.js';
import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { Announcements, type Listener, Listeners } from '../announcements.js';
import { Authenticator } from '../key/authenticator.js';
import { PictureModule } from '../picture/picture.module.js';
import { StoredPictures } from '../picture/stored-pictures.js';
import { Attempts } from './attempts.js';
import { AccountRates, RateLimiter } from './rate-limiter.js';

/** Authenticates requests and limits their rate. Its caches of keys, plans and pictures follow the log. */
@Module({
  imports: [AccountModule, PictureModule],
  providers: [
    AccountRates,
    Announcements,
    Authenticator,
    {
      provide: Listeners,
      inject: [Authenticator, AccountRates, StoredPictures],
      useFactory: (...listeners: Listener[]) => listeners,
    },
    {
      provide: Attempts,
      inject: [Configuration],
      useFactory: ({ authFailuresPerMin }: Configuration) => new Attempts(authFailuresPerMin),
    },
    RateLimiter,
  ],
  exports: [Authenticator, Attempts, RateLimiter],
})
export class LimitsModule {}
