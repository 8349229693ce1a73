import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '#platform/cache-size.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import type { AccountEvent } from '#domain/account/account.events.js';
import type { EventOfType } from '#domain/events.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { OwnTopic, ResendScope, WebhookTopic } from './webhook.events.js';
import { endpointOf, evolveWebhooks, type TenantWebhooks, type WebhookEndpoint } from './webhook.js';
import { decode } from '#domain/stored-events.js';
import { EventStore } from '#event-store/event-store.js';
import { AccountWriter } from '#application/account/account-writer.js';
import { load, readForwards } from '#application/aggregate.js';
import { deliveryRetentionDays, type NewDelivery } from './deliveries.js';
import { deliveryMac } from './delivery-mac.js';
import { Deliveries } from './postgres-deliveries.js';
import { webhooksAggregate } from './manage-webhooks.handler.js';
import { deliveryIdOf, messageBody, type WebhookContent } from './webhook-message.js';
import type { JobOutcomeMessageData } from './webhook-messages.dto.js';
import { endedJobOf, type PlacedEvent } from '#application/process-managers/delivered-event.js';
import type { ProcessManager } from '#application/process-managers/process-manager.js';
import { DeliveryQueue } from './delivery-queue.js';
import type { QueueTransaction } from '#render-queue/render-queue.js';

export interface Resend {
  readonly endpointId: string;
  readonly scope: ResendScope;
  readonly at: string;
}

/** The rows that are written together with the checkpoint. */
export interface WebhookWork {
  readonly deliveries: readonly NewDelivery[];
  readonly resends: readonly Resend[];
}

/**
 * Clocks of processes may disagree. An event that is older than its endpoint by no more than this is sent all
 * the same.
 */
const clockSkewMs = 60_000;

/** Events older than this are not sent: by then it may be forgotten whether they were sent before. */
const oldestMs = (deliveryRetentionDays - 1) * 24 * 60 * 60_000;

/** For each type of event, the only topics that its messages can have. */
const ownTopics: Partial<Record<PlacedEvent['type'], readonly OwnTopic[]>> = {
  StageCompleted: ['job.stage'],
  JobSucceeded: ['job.succeeded', 'batch.finished'],
  JobFailed: ['job.failed', 'batch.finished'],
  JobCancelled: ['job.failed', 'batch.finished'],
  CreditsDebited: ['credits.low'],
  WebhookEndpointDisabled: ['webhook.disabled'],
};

function topicsOf(event: PlacedEvent): readonly WebhookTopic[] {
  return event.type === 'NoticeGiven' ? [event.data.topic] : (ownTopics[event.type] ?? []);
}

/**
 * Turns events of a tenant into messages for its endpoints. It reads the endpoints' own events in the same
 * order as the others, so an endpoint gets everything that comes after its registration. A tenant without
 * endpoints costs one look in memory. Deliveries are written in the transaction that moves the checkpoint,
 * under ids that derive from event and endpoint. So an event that is handled again makes no second delivery.
 */
@Injectable()
export class WebhookDispatcher implements ProcessManager {
  private readonly known: Record<Environment, LRUCache<string, KnownWebhooks>>;

  constructor(
    private readonly store: EventStore,
    private readonly accounts: AccountWriter,
    private readonly deliveries: Deliveries,
    private readonly queue: DeliveryQueue,
    @Inject(Configuration) private readonly configuration: Pick<Configuration, 'publicUrl' | 'signingKey'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    this.known = { live: new LRUCache(entriesUpTo(10_000)), test: new LRUCache(entriesUpTo(10_000)) };
  }

  begin(environment: Environment): void {
    this.known[environment].clear();
  }

  async handle(environment: Environment, events: readonly PlacedEvent[]) {
    const work = await this.workOf(environment, events);
    if (work.deliveries.length === 0 && work.resends.length === 0) return;
    return (tx: QueueTransaction) => this.write(environment, work, tx);
  }

  private async write(
    environment: Environment,
    { deliveries, resends }: WebhookWork,
    tx: QueueTransaction,
  ): Promise<void> {
    const tasks = await this.deliveries.add(environment, deliveries, tx);
    for (const resend of resends) tasks.push(...(await this.deliveries.resend(environment, resend, tx)));
    await this.queue.enqueue(tasks, tx);
  }

  /** @throws what the store throws; the events may then be handled again */
  async workOf(environment: Environment, events: readonly PlacedEvent[]): Promise<WebhookWork> {
    const since = this.clock().getTime() - oldestMs;
    const recent = new Set(events.filter(({ metadata }) => Date.parse(metadata.recordedAt) > since));
    const tenants = new Set([...recent].map(({ metadata }) => metadata.tenant));
    await Promise.all([...tenants].map((tenant) => this.webhooksOf(environment, tenant)));
    const deliveries: NewDelivery[] = [];
    const resends: Resend[] = [];
    const debits: { readonly debit: Debit; readonly endpoints: readonly WebhookEndpoint[] }[] = [];
    for (const event of events) {
      this.hear(environment, event);
      if (!recent.has(event)) continue;
      const webhooks = await this.webhooksOf(environment, event.metadata.tenant);
      if (webhooks.length === 0) continue;
      switch (event.type) {
        case 'WebhookTestRequested': {
          const endpoint = endpointOf(webhooks, event.data.endpointId);
          if (!endpoint) break;
          const content = { type: 'webhook.test', data: this.about(endpoint.endpointId) } as const;
          deliveries.push(this.deliveryOf(environment, event, endpoint, content));
          break;
        }
        case 'WebhookResendRequested':
          resends.push(event.data);
          break;
        case 'CreditsDebited': {
          const endpoints = webhooks.filter((endpoint) => wants(endpoint, event));
          if (endpoints.length > 0) debits.push({ debit: event, endpoints });
          break;
        }
        default: {
          const endpoints = webhooks.filter((endpoint) => wants(endpoint, event));
          if (endpoints.length === 0) break;
          for (const content of await this.contentsOf(environment, event))
            for (const endpoint of endpoints)
              if (endpoint.events.some((topic) => topic === content.type))
                deliveries.push(this.deliveryOf(environment, event, endpoint, content));
        }
      }
    }
    deliveries.push(...(await this.lowCredits(environment, debits)));
    return { deliveries, resends };
  }

  private hear(environment: Environment, event: PlacedEvent): void {
    const known = this.known[environment].get(event.streamId);
    if (!known || event.revision <= known.revision || !isWebhookEvent(event)) return;
    const webhooks = evolveWebhooks(known.webhooks, event);
    this.known[environment].set(event.streamId, { webhooks, revision: event.revision });
  }

  private async webhooksOf(environment: Environment, tenant: string): Promise<TenantWebhooks> {
    const cached = this.known[environment].get(tenant);
    if (cached) return cached.webhooks;
    const stream = streamName(environment, 'webhook', tenant);
    const { state: webhooks, revision } = await load(this.store, stream, webhooksAggregate);
    this.known[environment].set(tenant, { webhooks, revision: revision === 'no-stream' ? -1n : revision });
    return webhooks;
  }

  private about(endpointId: string): { endpoint_id: string; url: string } {
    return { endpoint_id: endpointId, url: `${this.configuration.publicUrl}/v1/webhooks/${endpointId}` };
  }

  private async contentsOf(environment: Environment, event: PlacedEvent): Promise<WebhookContent[]> {
    const { streamId: jobId } = event;
    const url = `${this.configuration.publicUrl}/v1/jobs/${jobId}`;
    switch (event.type) {
      case 'StageCompleted': {
        const { stage } = event.data;
        return [{ type: 'job.stage', data: { job_id: jobId, stage, seq: Number(event.revision) + 1, url } }];
      }
      case 'JobSucceeded':
      case 'JobFailed':
      case 'JobCancelled': {
        const { operation, parentJobId, chargeId } = await endedJobOf(this.store, environment, event);
        const job = { job_id: jobId, operation, parent_job_id: parentJobId, url };
        const data: JobOutcomeMessageData =
          event.type === 'JobSucceeded'
            ? { ...job, status: 'SUCCESS', error_code: null }
            : {
                ...job,
                status: 'FAILURE',
                error_code: event.type === 'JobFailed' ? event.data.code : 'CANCELLED',
              };
        const type = event.type === 'JobSucceeded' ? 'job.succeeded' : 'job.failed';
        // The parent of a batch has no charge of its own.
        return chargeId === null
          ? [
              { type, data },
              { type: 'batch.finished', data },
            ]
          : [{ type, data }];
      }
      case 'WebhookEndpointDisabled': {
        const { endpointId, reason } = event.data;
        // The tenant that requested it knows.
        if (reason === 'requested') return [];
        return [{ type: 'webhook.disabled', data: { ...this.about(endpointId), reason } }];
      }
      case 'NoticeGiven': {
        const { topic, content, path } = event.data;
        return [{ type: topic, data: { ...content, url: `${this.configuration.publicUrl}${path}` } }];
      }
      default:
        return [];
    }
  }

  private deliveryOf(
    environment: Environment,
    { eventId, metadata }: PlacedEvent,
    { endpointId }: WebhookEndpoint,
    content: WebhookContent,
  ): NewDelivery {
    const { tenant, recordedAt } = metadata;
    const { type } = content;
    const deliveryId = deliveryIdOf(environment, eventId, endpointId, type, Date.parse(recordedAt));
    const told = {
      deliveryId,
      tenant,
      endpointId,
      type,
      body: messageBody(environment, content, recordedAt),
    };
    const { signingKey } = this.configuration;
    // Without the key nothing can be sent either.
    const mac = signingKey === undefined ? null : deliveryMac(signingKey, environment, told);
    return { ...told, occurredAt: new Date(recordedAt), mac };
  }

  /** Messages for the debits of a batch of events that take a balance from above a threshold to below it. */
  private async lowCredits(
    environment: Environment,
    debits: readonly { readonly debit: Debit; readonly endpoints: readonly WebhookEndpoint[] }[],
  ): Promise<NewDelivery[]> {
    const byTenant = Map.groupBy(debits, ({ debit }) => debit.streamId);
    const told = [...byTenant].map(async ([tenant, ofTenant]) => {
      const balances = await this.balancesFrom(environment, tenant, ofTenant[0]!.debit.revision);
      return ofTenant.flatMap(({ debit, endpoints }) => {
        const balance = balances.get(debit.revision);
        if (balance === undefined) return [];
        const url = `${this.configuration.publicUrl}/v1/credits`;
        return endpoints
          .filter(
            ({ creditsLowBelow: threshold }) =>
              balance < threshold && balance + debit.data.amount >= threshold,
          )
          .map((endpoint) => {
            const data = { balance, threshold: endpoint.creditsLowBelow, url };
            return this.deliveryOf(environment, debit, endpoint, { type: 'credits.low', data });
          });
      });
    });
    return (await Promise.all(told)).flat();
  }

  /**
   * The balance after each event of the account from a revision on: the present balance, less the later
   * changes.
   */
  private async balancesFrom(
    environment: Environment,
    tenant: string,
    from: bigint,
  ): Promise<Map<bigint, number>> {
    const { state, position } = await this.accounts.read(environment, tenant);
    const later: { readonly revision: bigint; readonly change: number }[] = [];
    for await (const page of readForwards(this.store, streamName(environment, 'account', tenant), from))
      for (const recorded of page)
        if (position !== undefined && recorded.position <= position)
          later.push({
            revision: recorded.revision,
            change: balanceChange(decode(recorded) as AccountEvent),
          });
    const balances = new Map<bigint, number>();
    let balance = state.status === 'unopened' ? 0 : state.balance;
    for (const { revision, change } of later.toReversed()) {
      balances.set(revision, balance);
      balance -= change;
    }
    return balances;
  }
}

interface KnownWebhooks {
  readonly webhooks: TenantWebhooks;
  /** The revision of the tenant's last event in it; -1 if there is none. */
  readonly revision: bigint;
}

type Debit = PlacedEvent & EventOfType<'CreditsDebited'>;

type EventOfEndpoint = Parameters<typeof evolveWebhooks>[1];

function isWebhookEvent(event: PlacedEvent): event is PlacedEvent & EventOfEndpoint {
  return event.type.startsWith('WebhookEndpoint') || event.type === 'WebhookSecretRotated';
}

function wants({ disabled, events, registeredAt }: WebhookEndpoint, event: PlacedEvent): boolean {
  if (disabled || !topicsOf(event).some((topic) => events.includes(topic))) return false;
  return Date.parse(event.metadata.recordedAt) >= Date.parse(registeredAt) - clockSkewMs;
}

function balanceChange(event: AccountEvent): number {
  switch (event.type) {
    case 'CreditsPurchased':
    case 'CreditsRefunded':
      return event.data.amount;
    case 'CreditsDebited':
    case 'CreditsCorrected':
      return -event.data.amount;
    default:
      return 0;
  }
}
