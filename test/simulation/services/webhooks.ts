import type { CallOutcome } from '#platform/webhook-call.js';
import type {
  AttemptVerdict,
  Delivery,
  NewDelivery,
  WebhookCall,
  WebhookTransport,
} from '#capabilities/webhooks/deliveries.js';
import type { Deliveries } from '#capabilities/webhooks/postgres-deliveries.js';
import type { Environment } from '#domain/streams.js';
import type { DeliveryTask } from '#capabilities/webhooks/delivery.task.js';
import type { Process, Scheduler } from '../kernel/scheduler.js';

/** The rows that all processes share. */
export type StoredDeliveries = Map<string, Delivery & { readonly createdAt: number }>;

/**
 * The deliveries in PostgreSQL, by the rules of the real class. Here nothing is sent again, and no days are
 * counted.
 */
export class SimulatedDeliveries implements Pick<Deliveries, 'find' | 'record' | 'giveUp' | 'overdue'> {
  constructor(
    private readonly stored: StoredDeliveries,
    private readonly scheduler: Scheduler,
    private readonly process: Process,
  ) {}

  /** Call it in the step that moves the checkpoint. @returns tasks for the deliveries that are new */
  addNow(environment: Environment, deliveries: readonly NewDelivery[]): DeliveryTask[] {
    const fresh = deliveries.filter(({ deliveryId }) => !this.stored.has(deliveryId));
    const initial = { status: 'pending', round: 0, attempts: 0, nextAttemptAt: null } as const;
    for (const each of fresh)
      this.stored.set(each.deliveryId, { ...each, ...initial, createdAt: this.scheduler.now });
    return fresh.map((delivery) => asTask(environment, { ...delivery, ...initial }));
  }

  async find(_environment: Environment, deliveryId: string): Promise<Delivery | undefined> {
    await this.scheduler.turn(this.process);
    return this.stored.get(deliveryId);
  }

  async record(
    _environment: Environment,
    { deliveryId }: Delivery,
    _attempt: unknown,
    verdict: AttemptVerdict,
  ): Promise<undefined> {
    await this.scheduler.turn(this.process);
    const known = this.stored.get(deliveryId);
    if (known?.status !== 'pending') return;
    const nextAttemptAt = verdict.kind === 'failed' ? verdict.retryAt : null;
    const status = verdict.kind === 'delivered' ? 'delivered' : nextAttemptAt ? 'pending' : 'failed';
    this.stored.set(deliveryId, { ...known, attempts: known.attempts + 1, status, nextAttemptAt });
  }

  async giveUp(_environment: Environment, { deliveryId }: Delivery): Promise<void> {
    await this.scheduler.turn(this.process);
    const known = this.stored.get(deliveryId);
    if (known?.status === 'pending') this.stored.set(deliveryId, { ...known, status: 'failed' });
  }

  async overdue(environment: Environment, before: Date): Promise<DeliveryTask[]> {
    await this.scheduler.turn(this.process);
    return [...this.stored.values()]
      .filter(({ status }) => status === 'pending')
      .filter(({ nextAttemptAt, createdAt }) => (nextAttemptAt?.getTime() ?? createdAt) < before.getTime())
      .map((delivery) => asTask(environment, delivery));
  }
}

function asTask(environment: Environment, { endpointId, deliveryId, round }: Delivery): DeliveryTask {
  return { environment, endpointId, deliveryId, round };
}

/** A customer's server: it takes messages, refuses one now and then, and its answers may be lost. */
export class SimulatedReceiver implements WebhookTransport {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly process: Process,
    private readonly onCall: (call: WebhookCall) => (taken: boolean) => void,
  ) {}

  async post(call: WebhookCall): Promise<CallOutcome> {
    await this.scheduler.turn(this.process);
    const answered = this.onCall(call);
    const choice = this.scheduler.choose(6);
    answered(choice > 0);
    await this.scheduler.turn(this.process);
    switch (choice) {
      case 0:
        return { kind: 'answered', statusCode: 500, retryAfter: undefined, answer: 'not now' };
      case 1:
        return { kind: 'no-answer', error: 'ECONNRESET' };
      default:
        return { kind: 'answered', statusCode: 204, retryAfter: undefined, answer: '' };
    }
  }

  complaintAbout(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}
