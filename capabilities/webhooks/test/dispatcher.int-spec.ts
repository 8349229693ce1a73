import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountWriter } from '#application/account/account-writer.js';
import { AccountsFixture } from '../../../test/support/accounts-fixture.js';
import { debitCredits } from '#domain/account/debit-credits.js';
import { testSigningKey } from '../../../test/support/signing-key.js';
import { newId } from '#platform/ids.js';
import { toProjectedEvent } from '#read-store/projected-event.js';
import type { WebhookTransport } from '../deliveries.js';
import {
  ChangeWebhook,
  ChangeWebhookHandler,
  RegisterWebhook,
  RegisterWebhookHandler,
} from '../manage-webhooks.handler.js';
import { WebhookDispatcher } from '../webhook-dispatcher.js';
import type { WebhookTopic } from '../webhook.events.js';

let fixture: AccountsFixture;

beforeAll(async () => {
  fixture = await AccountsFixture.start();
});
afterAll(() => fixture.stop());

const transport: WebhookTransport = {
  post: () => Promise.reject(new Error('nothing is sent here')),
  complaintAbout: () => Promise.resolve(undefined),
};

async function endpointOf(tenant: string, events: WebhookTopic[]): Promise<string> {
  const terms = { url: 'https://shop.example/', events, description: '', creditsLowBelow: 90 };
  const register = new RegisterWebhookHandler(fixture.store, transport);
  const registered = await register.execute(new RegisterWebhook(fixture.context(tenant), terms));
  if (registered.kind !== 'changed') throw new Error(registered.kind);
  return registered.endpoint.endpointId;
}

async function disable(tenant: string, endpointId: string): Promise<void> {
  const change = new ChangeWebhookHandler(fixture.store, transport);
  await change.execute(
    new ChangeWebhook(fixture.context(tenant), endpointId, { kind: 'revise', terms: {}, enabled: false }),
  );
}

/**
 * Debits twenty credits and nothing after them.
 * @returns the messages for the tenant's endpoints, by endpoint
 */
async function toldOfDebit(tenant: string): Promise<{ endpointId: string; data: unknown }[]> {
  const accounts = new AccountWriter(fixture.store, fixture.snapshots);
  const [chargeId, at] = [newId(), new Date().toISOString()];
  const work = { operation: 'look', endpoint: '/v1/look', jobId: newId(), requestId: chargeId };
  await accounts.execute(fixture.context(tenant), (account) =>
    debitCredits([{ chargeId, amount: 20, at, ...work }], account),
  );
  const debit = await fixture.store.lastEvent();
  const configuration = { publicUrl: 'https://atelier.example', signingKey: testSigningKey };
  // The test only looks at the result, and writes nothing.
  const unused = undefined as never;
  const clock = () => new Date();
  const dispatcher = new WebhookDispatcher(fixture.store, accounts, unused, unused, configuration, clock);
  const { deliveries } = await dispatcher.workOf('test', [toProjectedEvent(debit!)]);
  return deliveries.map(({ endpointId, body }) => ({
    endpointId,
    data: (JSON.parse(body) as { data: unknown }).data,
  }));
}

describe('low credits', () => {
  it('are told when the debit is the last thing that happened to the account', async () => {
    const tenant = await fixture.tenantWith(100);
    const endpointId = await endpointOf(tenant, ['credits.low']);
    expect(await toldOfDebit(tenant)).toMatchObject([{ endpointId, data: { balance: 80, threshold: 90 } }]);
  });

  it('are told only to endpoints that have asked for them and are on', async () => {
    const tenant = await fixture.tenantWith(100);
    await endpointOf(tenant, ['job.succeeded']);
    await disable(tenant, await endpointOf(tenant, ['credits.low']));
    expect(await toldOfDebit(tenant)).toEqual([]);
  });
});
