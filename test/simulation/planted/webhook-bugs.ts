import { webhookDispatcher } from '#capabilities/webhooks/webhook-dispatcher.follows.js';
import type { Deliveries } from '#capabilities/webhooks/postgres-deliveries.js';
import { newId } from '#platform/ids.js';
import type { Wiring } from '../wiring.js';
import { given, withoutTheLast } from './process-bugs.js';

export const webhookBugs = {
  /** The endpoints of acme get messages about every tenant's jobs. */
  'webhooks-of-anybody': given(webhookDispatcher, (events) =>
    events.map((event) => ({ ...event, metadata: { ...event.metadata, tenant: 'acme' } })),
  ),

  /** The last event of a longer delivery is dropped. */
  'webhooks-skip': withoutTheLast(webhookDispatcher, 2),

  /** An event that is handled again counts as another one. */
  'webhooks-again': given(webhookDispatcher, (events) =>
    events.map((event) => ({ ...event, eventId: newId() })),
  ),

  /** Each attempt has an id of its own. */
  'webhook-id-of-attempt': {
    transport: (transport) => ({
      complaintAbout: (...given) => transport.complaintAbout(...given),
      post: (call) => transport.post({ ...call, headers: { ...call.headers, 'webhook-id': newId() } }),
    }),
  },

  /** A refused message counts as delivered. */
  'refused-counts-as-delivered': {
    deliveries: (deliveries): Deliveries =>
      Object.assign(Object.create(deliveries) as Deliveries, {
        record: (...[environment, delivery, attempt]: Parameters<Deliveries['record']>) =>
          deliveries.record(environment, delivery, attempt, { kind: 'delivered' }),
      }),
  },

  /** Deliveries whose task was lost stay without a task. */
  'deliveries-stay-lost': { overdue: () => [] },
} satisfies Record<string, Partial<Wiring>>;
