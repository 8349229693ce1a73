import { describe, expect, it } from 'vitest';
import type { OpenedAccount } from '#domain/account/account.js';
import { StorePresence } from '#event-store/store-presence.js';
import { defaultTerms } from '../account/manage-accounts.handler.js';
import { AccountRates } from './rate-limiter.js';

const caller = { environment: 'test', tenant: 'acme', keyId: 'k', capabilities: [] } as const;

function accountWith(rateLimitPerMin: number) {
  const state = { status: 'active', terms: { ...defaultTerms, rateLimitPerMin } } as OpenedAccount;
  return { state, position: 1n };
}

/** Rates of accounts that are read like this. */
function ratesOf(...reads: (() => Promise<ReturnType<typeof accountWith>>)[]): AccountRates {
  const accounts = { read: () => reads.shift()!(), lastSeen: () => undefined };
  return new AccountRates(accounts, new StorePresence(() => Promise.resolve()));
}

describe("an account's rate", () => {
  it('is read once, also for requests that come while it is being read', async () => {
    const rates = ratesOf(() => Promise.resolve(accountWith(3)));
    expect(await Promise.all([rates.perMinute(caller), rates.perMinute(caller)])).toEqual([3, 3]);
    expect(await rates.perMinute(caller)).toBe(3);
  });

  it('is the one of the last change, and not what a read finds that began before it', async () => {
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof accountWith>>();
    const rates = ratesOf(() => promise);
    const early = rates.perMinute(caller);
    const data = { ...defaultTerms, rateLimitPerMin: 2, at: '' };
    rates.hear({ environment: 'test', id: 'acme', event: { type: 'PlanChanged', data } });
    resolve(accountWith(1));
    expect(await early).toBe(1);
    expect(await rates.perMinute(caller)).toBe(2);
  });

  it('is read again after a failure', async () => {
    const rates = ratesOf(
      () => Promise.reject(new Error('away')),
      () => Promise.resolve(accountWith(1)),
    );
    await expect(rates.perMinute(caller)).rejects.toThrow('away');
    expect(await rates.perMinute(caller)).toBe(1);
  });
});
