import { afterAll, describe, expect, it } from 'vitest';
import { StreamContended, type EventStore } from '#event-store/event-store.js';
import { AccountsFixture } from '../support/accounts-fixture.js';
import { AccountWriter } from '#application/account/account-writer.js';
import { translateError } from '../../apps/api/src/http/error.filter.js';
import { grantCredits, priceOperation } from '../support/operator.js';

const fixture = await AccountsFixture.start();
afterAll(() => fixture.stop());

const price = (store: EventStore, _tenant: string, credits: number) =>
  priceOperation(store, fixture.context('catalogue'), 'look', { credits, reason: 'a spec' });
const grant = (store: EventStore, tenant: string, amount: number) =>
  grantCredits(new AccountWriter(store, fixture.snapshots), fixture.context(tenant), {
    amount,
    kind: 'pack',
    label: 'Starter',
  });

describe('a command whose stream others write to, each time before it', () => {
  it.each([
    ['an account', grant],
    ['any other stream', price],
  ] as const)('of %s gives up without having written, and is to be sent again', async (_stream, command) => {
    const tenant = await fixture.tenantWith(10);
    const outcomes: string[] = [];
    const overtaken = fixture.withAppend((append) => async (...args) => {
      await command(fixture.store, tenant, 1 + outcomes.length);
      const appended = await append(...args);
      outcomes.push(appended.outcome);
      return appended;
    });
    const error: unknown = await command(overtaken, tenant, 999).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(StreamContended);
    expect([...new Set(outcomes)]).toEqual(['wrong-expected-revision']);
    expect(translateError(error)).toMatchObject({
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      headers: { 'retry-after': '2' },
      message: expect.stringMatching(
        /^Too many requests change the same thing right now\. Send the request again/,
      ),
    });
  });
});
