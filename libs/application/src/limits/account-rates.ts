import { Inject, Injectable } from '@nestjs/common';
import { AccountWriter } from '../account/account-writer.js';
import { defaultTerms } from '../account/manage-accounts.handler.js';
import type { Announcement, Listener } from '../announcements.js';
import type { Caller } from '../caller.js';
import { Remembered } from '../remembered.js';
import type { RateTerms } from './rate-limiter.js';

/**
 * Each account's limit, remembered until its plan changes, in whichever process that happens; should this one be cut
 * off from the store, for a minute at most. An account that does not exist has the limit of a new one.
 */
@Injectable()
export class AccountRates implements RateTerms, Listener {
  readonly category = 'account';
  readonly types = ['AccountOpened', 'PlanChanged'] as const;
  private readonly rates = new Remembered<number>({ max: 10_000, ttlMs: 60_000 });

  constructor(@Inject(AccountWriter) private readonly accounts: Pick<AccountWriter, 'read'>) {}

  perMinute({ environment, tenant }: Caller): number | Promise<number> {
    return this.rates.get(`${environment}.${tenant}`, async () => {
      const { state } = await this.accounts.read(environment, tenant);
      return state.status === 'unopened' ? defaultTerms.rateLimitPerMin : state.terms.rateLimitPerMin;
    });
  }

  hear({ environment, id }: Announcement): void {
    this.rates.forget(`${environment}.${id}`);
  }
}
