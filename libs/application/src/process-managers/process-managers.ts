import { categoryPrefix, type Environment } from '#domain/streams.js';
import type { EventFilter } from '#event-store/event-store.js';

// What is known of the process managers without their code: for a look at how far they are.

const ofJobs =
  (...types: string[]) =>
  (environment: Environment): EventFilter => ({
    types,
    streamPrefixes: [categoryPrefix(environment, 'job')],
  });

export const renderDispatcher = 'render-dispatcher';
export const renderDispatcherFilter = ofJobs('JobQueued', 'StageCompleted');

export const chargeCloser = 'charge-closer';
export const chargeCloserFilter = ofJobs('JobSucceeded', 'JobFailed', 'JobCancelled', 'JobVoided');

export const batchParents = 'batch-parents';
export const batchParentsFilter = ofJobs('JobQueued', 'JobSucceeded', 'JobFailed', 'JobCancelled');

export const webhookDispatcher = 'webhook-dispatcher';
export const webhookDispatcherFilter = (environment: Environment): EventFilter => ({
  types: [
    ...['StageCompleted', 'JobSucceeded', 'JobFailed', 'JobCancelled', 'CreditsDebited'],
    ...['WebhookEndpointRegistered', 'WebhookEndpointRevised', 'WebhookEndpointDisabled'],
    ...['WebhookEndpointEnabled', 'WebhookSecretRotated', 'WebhookEndpointRemoved'],
    ...['WebhookTestRequested', 'WebhookResendRequested'],
  ],
  streamPrefixes: (['job', 'account', 'webhook', 'delivery'] as const).map((category) =>
    categoryPrefix(environment, category),
  ),
});

/** All process managers that follow the log, by the name of their checkpoint, with the events that they want. */
export const processManagers = [
  { name: renderDispatcher, filter: renderDispatcherFilter },
  { name: chargeCloser, filter: chargeCloserFilter },
  { name: batchParents, filter: batchParentsFilter },
  { name: webhookDispatcher, filter: webhookDispatcherFilter },
];
