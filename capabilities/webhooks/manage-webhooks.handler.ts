import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { streamName, type Environment } from '#domain/streams.js';
import type {
  DeliveryEvent,
  ResendScope,
  WebhookDisableReason,
  WebhookEvent,
  WebhookTerms,
} from './webhook.events.js';
import {
  endpointOf,
  evolveDelivery,
  evolveWebhooks,
  initialDelivery,
  initialWebhooks,
  registerEndpoint,
  removeEndpoint,
  requestDelivery,
  reviseEndpoint,
  rotateSecret,
  switchOffEndpoint,
  type TenantWebhooks,
  type WebhookEndpoint,
  type WebhookRejection,
} from './webhook.js';
import type { Decision } from '#domain/decision.js';
import { EventStore } from '#event-store/event-store.js';
import { eventId, newId } from '#platform/ids.js';
import { handle, load } from '#application/aggregate.js';
import type { CommandContext } from '#application/command-context.js';
import { WebhookTransport } from './deliveries.js';
import { Deliveries } from './postgres-deliveries.js';
import { deliveryIdOf } from './webhook-message.js';

export const webhooksAggregate = { initial: initialWebhooks, evolve: evolveWebhooks };
const deliveryAggregate = { initial: initialDelivery, evolve: evolveDelivery };

/** The outcome of a change. `bad-address` completes the sentence `url …`. */
export type WebhookChange =
  | { readonly kind: 'changed'; readonly endpoint: WebhookEndpoint; readonly position: bigint | undefined }
  | { readonly kind: 'rejected'; readonly rejection: WebhookRejection }
  | { readonly kind: 'bad-address'; readonly complaint: string };

/** The possible changes of an endpoint. */
export type WebhookOrder =
  | { readonly kind: 'revise'; readonly terms: Partial<WebhookTerms>; readonly enabled?: boolean | undefined }
  | { readonly kind: 'rotate-secret'; readonly overlapMs: number }
  | { readonly kind: 'switch-off'; readonly reason: WebhookDisableReason }
  | { readonly kind: 'remove' };

/** Registers an endpoint of `context.tenant`. It checks the address first. */
export class RegisterWebhook extends Command<WebhookChange> {
  constructor(
    readonly context: CommandContext,
    readonly terms: WebhookTerms,
  ) {
    super();
  }
}

/** Changes an endpoint of `context.tenant`. For a removed endpoint, the answer shows its last state. */
export class ChangeWebhook extends Command<WebhookChange> {
  constructor(
    readonly context: CommandContext,
    readonly endpointId: string,
    readonly order: WebhookOrder,
  ) {
    super();
  }
}

export type RequestedMessage =
  { readonly kind: 'test' } | { readonly kind: 'resend'; readonly scope: ResendScope };

/** Requests a message. The event is the order, and the process manager carries it out. */
export class RequestWebhookDelivery extends Command<
  | { readonly kind: 'requested' }
  | { readonly kind: 'unknown-webhook' }
  /** The endpoint has no delivery with that id, or no longer has it. */
  | { readonly kind: 'unknown-delivery'; readonly deliveryId: string }
> {
  constructor(
    readonly context: CommandContext,
    readonly endpointId: string,
    readonly message: RequestedMessage,
  ) {
    super();
  }
}

/** All endpoints of a tenant, read from their stream, so that a caller sees its own change at once. */
export async function webhooksOf(
  store: EventStore,
  environment: Environment,
  tenant: string,
): Promise<TenantWebhooks> {
  const { state } = await load(store, streamName(environment, 'webhook', tenant), webhooksAggregate);
  return state;
}

@CommandHandler(RegisterWebhook)
export class RegisterWebhookHandler implements ICommandHandler<RegisterWebhook> {
  constructor(
    private readonly store: EventStore,
    @Inject(WebhookTransport) private readonly transport: Pick<WebhookTransport, 'complaintAbout'>,
  ) {}

  async execute({ context, terms }: RegisterWebhook): Promise<WebhookChange> {
    const complaint = await this.transport.complaintAbout(context.environment, terms.url);
    if (complaint !== undefined) return { kind: 'bad-address', complaint };
    const endpointId = newId();
    const { tenant, at } = context;
    const facts = { ...terms, endpointId, tenant, secretId: newId(), at: at.toISOString() };
    return change(this.store, context, endpointId, (state) => registerEndpoint(facts, state));
  }
}

@CommandHandler(ChangeWebhook)
export class ChangeWebhookHandler implements ICommandHandler<ChangeWebhook> {
  constructor(
    private readonly store: EventStore,
    private readonly transport: WebhookTransport,
  ) {}

  async execute({ context, endpointId, order }: ChangeWebhook): Promise<WebhookChange> {
    if (order.kind === 'revise' && order.terms.url !== undefined) {
      const complaint = await this.transport.complaintAbout(context.environment, order.terms.url);
      if (complaint !== undefined) return { kind: 'bad-address', complaint };
    }
    return change(this.store, context, endpointId, decisionFor(context, endpointId, order));
  }
}

function decisionFor(
  context: CommandContext,
  endpointId: string,
  order: WebhookOrder,
): (state: TenantWebhooks) => Decision<WebhookEvent, WebhookRejection> {
  const at = context.at.toISOString();
  switch (order.kind) {
    case 'revise': {
      const { terms, enabled } = order;
      return (state) => reviseEndpoint({ endpointId, terms, enabled, at }, state);
    }
    case 'rotate-secret': {
      const secretId = newId();
      const previousUntil = new Date(context.at.getTime() + order.overlapMs).toISOString();
      return (state) => rotateSecret({ endpointId, secretId, previousUntil, at }, state);
    }
    case 'switch-off':
      return (state) => switchOffEndpoint({ endpointId, reason: order.reason, at }, state);
    case 'remove':
      return (state) => removeEndpoint({ endpointId, at }, state);
    default:
      return order satisfies never;
  }
}

async function change(
  store: EventStore,
  context: CommandContext,
  endpointId: string,
  decide: (state: TenantWebhooks) => Decision<WebhookEvent, WebhookRejection>,
): Promise<WebhookChange> {
  let before: TenantWebhooks = [];
  const changed = await handle(
    store,
    streamName(context.environment, 'webhook', context.tenant),
    webhooksAggregate,
    (state) => decide((before = state)),
    context,
  );
  if (changed.kind === 'rejected') return { kind: 'rejected', rejection: changed.rejection };
  const endpoint = endpointOf(changed.state, endpointId) ?? endpointOf(before, endpointId);
  if (!endpoint) throw new Error(`endpoint ${endpointId} was accepted and is not there`);
  return { kind: 'changed', endpoint, position: changed.position };
}

@CommandHandler(RequestWebhookDelivery)
export class RequestWebhookDeliveryHandler implements ICommandHandler<RequestWebhookDelivery> {
  constructor(
    private readonly store: EventStore,
    private readonly deliveries: Deliveries,
  ) {}

  async execute({ context, endpointId, message }: RequestWebhookDelivery) {
    const { environment, tenant, commandId } = context;
    const webhooks = await webhooksOf(this.store, environment, tenant);
    if (!endpointOf(webhooks, endpointId)) return { kind: 'unknown-webhook' } as const;
    if (message.kind === 'resend' && message.scope.kind === 'delivery') {
      const { deliveryId } = message.scope;
      const delivery = await this.deliveries.find(environment, deliveryId);
      if (delivery?.endpointId !== endpointId) return { kind: 'unknown-delivery', deliveryId } as const;
    }
    const facts = { endpointId, tenant, at: context.at.toISOString() };
    const event: DeliveryEvent =
      message.kind === 'test'
        ? { type: 'WebhookTestRequested', data: facts }
        : { type: 'WebhookResendRequested', data: { ...facts, scope: message.scope } };
    const stream = streamName(environment, 'delivery', commandId);
    await handle(this.store, stream, deliveryAggregate, (known) => requestDelivery(event, known), context);
    return { kind: 'requested' } as const;
  }
}

/** The id of the delivery that a request for a test leads to. */
export function testDeliveryId({ environment, commandId, at }: CommandContext, endpointId: string): string {
  return deliveryIdOf(environment, eventId(commandId, 0), endpointId, 'webhook.test', at.getTime());
}

export const webhookHandlers = [RegisterWebhookHandler, ChangeWebhookHandler, RequestWebhookDeliveryHandler];
