import { describe, expect, it } from 'vitest';
import { given } from '../../test/support/given.js';
import type { WebhookEvent } from './webhook.events.js';
import {
  evolveWebhooks,
  initialWebhooks,
  mostEndpoints,
  registerEndpoint,
  removeEndpoint,
  reviseEndpoint,
  rotateSecret,
  switchOffEndpoint,
} from './webhook.js';

const at = '2026-06-01T12:00:00.000Z';
const webhooks = { initial: initialWebhooks, evolve: evolveWebhooks };
const terms = {
  url: 'https://shop.example/hook',
  description: '',
  creditsLowBelow: 100,
  events: ['job.succeeded' as const],
};
const facts = { ...terms, endpointId: 'e1', tenant: 'acme', secretId: 's1', at };
const registered: WebhookEvent = { type: 'WebhookEndpointRegistered', data: facts };
const off = (reason: 'requested' | 'failing'): WebhookEvent => ({
  type: 'WebhookEndpointDisabled',
  data: { endpointId: 'e1', reason, at },
});
const removed: WebhookEvent = { type: 'WebhookEndpointRemoved', data: { endpointId: 'e1', at } };
const unknown = { code: 'WEBHOOK_NOT_FOUND' } as const;

describe('the endpoints of a tenant', () => {
  it('are registered once, and a bounded number of them', () => {
    given(webhooks, [])
      .when((state) => registerEndpoint(facts, state))
      .then(registered);
    given(webhooks, [registered])
      .when((state) => registerEndpoint(facts, state))
      .then();
    const many = Array.from({ length: mostEndpoints }, (_, index): WebhookEvent => ({
      type: 'WebhookEndpointRegistered',
      data: { ...facts, endpointId: `x${index}` },
    }));
    given(webhooks, many)
      .when((state) => registerEndpoint(facts, state))
      .thenRejected({ code: 'TOO_MANY_WEBHOOKS' });
  });

  it('are revised in what is named, and not at all when nothing changes', () => {
    given(webhooks, [registered])
      .when((state) => reviseEndpoint({ endpointId: 'e1', terms: { description: 'Shop' }, at }, state))
      .then({
        type: 'WebhookEndpointRevised',
        data: { ...terms, description: 'Shop', endpointId: 'e1', at },
      });
    given(webhooks, [registered])
      .when((state) => reviseEndpoint({ endpointId: 'e1', terms, enabled: true, at }, state))
      .then();
    given(webhooks, [])
      .when((state) => reviseEndpoint({ endpointId: 'e1', terms, at }, state))
      .thenRejected(unknown);
  });

  it('are stopped and let go on, whoever stopped them', () => {
    const revise = (enabled: boolean) => (state: typeof initialWebhooks) =>
      reviseEndpoint({ endpointId: 'e1', terms: {}, enabled, at }, state);
    given(webhooks, [registered]).when(revise(false)).then(off('requested'));
    given(webhooks, [registered, off('failing')])
      .when(revise(false))
      .then();
    given(webhooks, [registered, off('failing')])
      .when(revise(true))
      .then({ type: 'WebhookEndpointEnabled', data: { endpointId: 'e1', at } });
    const switchOff = (state: typeof initialWebhooks) =>
      switchOffEndpoint({ endpointId: 'e1', reason: 'failing', at }, state);
    given(webhooks, [registered]).when(switchOff).then(off('failing'));
    given(webhooks, [registered, off('requested')])
      .when(switchOff)
      .then();
  });

  it('keep the secret before beside the new one, and never a third', () => {
    const rotation = (secretId: string) => ({ endpointId: 'e1', secretId, previousUntil: at, at });
    const rotated = (secretId: string): WebhookEvent => ({
      type: 'WebhookSecretRotated',
      data: rotation(secretId),
    });
    given(webhooks, [registered])
      .when((state) => rotateSecret(rotation('s2'), state))
      .then(rotated('s2'));
    const { state } = given(webhooks, [registered, rotated('s2'), rotated('s3')]);
    expect(state).toMatchObject([{ secretId: 's3', previous: { secretId: 's2', until: at } }]);
  });

  it('are removed for good', () => {
    given(webhooks, [registered])
      .when((state) => removeEndpoint({ endpointId: 'e1', at }, state))
      .then(removed);
    given(webhooks, [registered, removed])
      .when((state) => rotateSecret({ endpointId: 'e1', secretId: 's2', previousUntil: at, at }, state))
      .thenRejected(unknown);
  });
});
