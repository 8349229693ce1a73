import type { Follows } from '#application/process-managers/process-manager.js';

export const webhookDispatcher = 'webhook-dispatcher';

export const webhookDispatcherFollows: Follows = {
  name: webhookDispatcher,
  types: [
    'StageCompleted',
    'JobSucceeded',
    'JobFailed',
    'JobCancelled',
    'CreditsDebited',
    'NoticeGiven',
    'WebhookEndpointRegistered',
    'WebhookEndpointRevised',
    'WebhookEndpointDisabled',
    'WebhookEndpointEnabled',
    'WebhookSecretRotated',
    'WebhookEndpointRemoved',
    'WebhookTestRequested',
    'WebhookResendRequested',
  ],
  categories: ['job', 'account', 'webhook', 'delivery', 'notice'],
};
