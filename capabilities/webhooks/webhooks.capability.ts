import type { Capability } from '../capability.js';
import { deliveryTasks } from './delivery.task.js';
import { webhookDispatcherFollows } from './webhook-dispatcher.follows.js';
import { deliveryFamily, webhookFamily } from './webhook.events.js';
import type { DeliveryLevel } from './webhooks-health.js';
import { readWebhookSettings } from './webhooks.settings.js';

const events = [webhookFamily, deliveryFamily] as const;

interface WebhooksTold {
  readonly check: never;
  readonly audit: never;
  readonly now: DeliveryLevel[];
}

/** Messages to endpoints of tenants about what happens to them (ADR 28, ADR 29). */
export const webhooks: Capability<
  'webhooks',
  typeof events,
  ReturnType<typeof readWebhookSettings>,
  WebhooksTold
> = {
  name: 'webhooks',
  events,
  settings: readWebhookSettings,
  modules: {
    api: async () => ({ module: (await import('./webhooks.api.js')).WebhooksApiModule }),
    worker: async () => ({ module: (await import('./webhooks.worker.js')).WebhooksWorkerModule }),
    projector: async () => ({ module: (await import('./webhooks.projector.js')).WebhooksProjectorModule }),
  },
  processManagers: [
    {
      ...webhookDispatcherFollows,
      load: async () => (await import('./webhook-dispatcher.js')).WebhookDispatcher,
    },
  ],
  housekeeping: [async () => (await import('./delivery-care.js')).DeliveryCare],
  queues: [deliveryTasks],
  nouns: {
    webhooks: {
      about: 'the endpoints of tenants, and what is sent to them',
      calls: [() => import('./webhooks.calls.js')],
    },
  },
  erases: async () => (await import('./erases-messages.js')).erasesMessages,
  tellsOfJobs: async () => (await import('./told-of-jobs.js')).toldOfJobs,
  folds: { webhook: async () => (await import('./webhook.fold.js')).webhookFold },
  tags: [['webhooks', 'Your endpoints, which receive messages about your jobs and credits.']],
  health: async () => (await import('./webhooks-health.js')).webhooksHealth,
  describe: async () => (await import('./describe-webhooks.js')).describeWebhooks,
};
