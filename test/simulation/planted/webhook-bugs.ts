import { webhookDispatcher } from '#capabilities/webhooks/webhook-dispatcher.follows.js';
import type { Deliveries } from '#capabilities/webhooks/postgres-deliveries.js';
import { newId } from '#platform/ids.js';
import type { Wiring } from '../wiring.js';
import { given } from './process-bugs.js';

/** The endpoints of acme get messages about every tenant's jobs. */
export const webhooksOfAnybody = given(webhookDispatcher, (events) =>
  events.map((event) => ({ ...event, metadata: { ...event.metadata, tenant: 'acme' } })),
);

/** The last event of a longer delivery is dropped. */
export const webhooksSkip = given(webhookDispatcher, (events) =>
  events.length > 2 ? events.slice(0, -1) : events,
);

/** An event that is handled again counts as another one. */
export const webhooksAgain = given(webhookDispatcher, (events) =>
  events.map((event) => ({ ...event, eventId: newId() })),
);

/** Each attempt has an id of its own. */
export const webhookIdOfAttempt: Partial<Wiring> = {
  transport: (transport) => ({
    complaintAbout: (...given) => transport.complaintAbout(...given),
    post: (call) => transport.post({ ...call, headers: { ...call.headers, 'webhook-id': newId() } }),
  }),
};

/** A refused message counts as delivered. */
export const refusedCountsAsDelivered: Partial<Wiring> = {
  deliveries: (deliveries): Deliveries =>
    Object.assign(Object.create(deliveries) as Deliveries, {
      record: (...[environment, delivery, attempt]: Parameters<Deliveries['record']>) =>
        deliveries.record(environment, delivery, attempt, { kind: 'delivered' }),
    }),
};

/** Deliveries whose task was lost stay without a task. */
export const deliveriesStayLost: Partial<Wiring> = { overdue: () => [] };
