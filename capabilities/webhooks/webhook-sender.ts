import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Environment } from '#domain/streams.js';
import type { WebhookDisableReason } from './webhook.events.js';
import { endpointOf, type WebhookEndpoint } from './webhook.js';
import { EventStore } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import { chanceOf, pauseAfter } from '#platform/retry-schedule.js';
import { isDelivered, signedHeaders, type CallOutcome } from '#platform/webhook-call.js';
import type { DeliveryTask } from './delivery.task.js';
import type { TaskOutcome } from '#render-queue/render-queue.js';
import { WebhookTransport, type AttemptVerdict, type Delivery } from './deliveries.js';
import { complaintAboutDelivery, type MacSettings } from './delivery-mac.js';
import { ChangeWebhook, webhooksOf } from './manage-webhooks.handler.js';
import { Deliveries } from './postgres-deliveries.js';
import { signingSecretsOf } from './webhook-secret.js';

/** How long an endpoint may fail before it is switched off. */
const switchOffAfterMs = 5 * 24 * 60 * 60_000;

/** Counts attempts and switched-off endpoints for the metrics. */
export abstract class WebhookObserver {
  abstract attempted(environment: Environment, outcome: 'delivered' | 'failed'): void;
  abstract switchedOff(environment: Environment, reason: WebhookDisableReason): void;
}

/**
 * Makes one attempt of a delivery for each call. The attempt is recorded after the endpoint was called, so an
 * attempt that was killed in between is made again. A message therefore arrives at least once, and always under
 * the same id.
 */
@Injectable()
export class WebhookSender {
  constructor(
    private readonly store: EventStore,
    private readonly commands: CommandBus,
    private readonly deliveries: Deliveries,
    private readonly transport: WebhookTransport,
    @Inject(Configuration) private readonly configuration: MacSettings,
    @Inject(WebhookObserver) private readonly observer: WebhookObserver,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Logger) private readonly logger: Logger,
  ) {}

  /** @throws what the store and the database throw; the task is then handed out again */
  async send({ environment, deliveryId, round }: DeliveryTask, claim: AbortSignal): Promise<TaskOutcome> {
    const delivery = await this.deliveries.find(environment, deliveryId);
    // The delivery has ended. Or it was sent again meanwhile, which made another task.
    if (delivery?.status !== 'pending' || delivery.round !== round) return { kind: 'done' };
    const waitMs = (delivery.nextAttemptAt?.getTime() ?? 0) - this.clock().getTime();
    if (waitMs > 0) return { kind: 'retry', afterMs: waitMs };
    const { tenant, endpointId } = delivery;
    const complaint = complaintAboutDelivery(this.configuration, environment, delivery);
    if (complaint !== undefined) {
      this.logger.error({ environment, tenant, endpoint: endpointId, delivery: deliveryId }, complaint);
      await this.deliveries.giveUp(environment, delivery, complaint, this.clock());
      this.observer.attempted(environment, 'failed');
      return { kind: 'done' };
    }
    const endpoint = endpointOf(await webhooksOf(this.store, environment, tenant), endpointId);
    if (!endpoint || endpoint.disabled) {
      const error = endpoint ? 'the endpoint is disabled' : 'the endpoint was removed';
      await this.deliveries.giveUp(environment, delivery, error, this.clock());
      return { kind: 'done' };
    }
    return this.attempt(environment, delivery, endpoint, claim);
  }

  private async attempt(
    environment: Environment,
    delivery: Delivery,
    endpoint: WebhookEndpoint,
    claim: AbortSignal,
  ): Promise<TaskOutcome> {
    const at = this.clock();
    const began = performance.now();
    const outcome = await this.call(environment, delivery, endpoint, at, claim);
    // The endpoint did not refuse it: this process stops, or was taken for dead. The next holder of the task
    // makes the attempt again.
    if (claim.aborted && outcome.kind !== 'answered') return { kind: 'retry', afterMs: 0 };
    const attempt = { at, durationMs: Math.round(performance.now() - began), ...resultOf(outcome) };
    const now = this.clock();
    const verdict = verdictOn(outcome, delivery, now);
    // The endpoint is switched off before the attempt is recorded. If this process is killed in between, the
    // next attempt gets the same answer.
    if (isGone(outcome)) await this.switchOff(environment, delivery, 'gone', now);
    const failingSince = await this.deliveries.record(environment, delivery, attempt, verdict);
    this.observer.attempted(environment, verdict.kind);
    const since = Math.max(failingSince?.getTime() ?? Infinity, Date.parse(endpoint.inForceSince));
    if (now.getTime() - since >= switchOffAfterMs)
      await this.switchOff(environment, delivery, 'failing', now);
    if (verdict.kind === 'delivered' || verdict.retryAt === null) return { kind: 'done' };
    return { kind: 'retry', afterMs: verdict.retryAt.getTime() - now.getTime() };
  }

  private call(
    environment: Environment,
    { deliveryId, body }: Delivery,
    endpoint: WebhookEndpoint,
    at: Date,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const { signingKey } = this.configuration;
    if (signingKey === undefined) throw new Error('webhooks cannot be signed: set ATELIER_SIGNING_KEY');
    const secrets = signingSecretsOf(signingKey, endpoint, at);
    const userAgent = 'atelier-webhooks/1';
    const headers = signedHeaders({ id: deliveryId, at, body, secrets, userAgent });
    return this.transport.post({ environment, url: endpoint.url, headers, body, signal });
  }

  private async switchOff(
    environment: Environment,
    { tenant, endpointId, deliveryId, round, attempts }: Delivery,
    reason: WebhookDisableReason,
    at: Date,
  ): Promise<void> {
    // The id is derived. So if several senders find the same, or one sender finds it again, they switch the
    // endpoint off once.
    const commandId = `switch-off:${deliveryId}:${round}:${attempts}`;
    const context = { environment, tenant, commandId, requestId: deliveryId, actor: 'worker:webhooks', at };
    await this.commands.execute(new ChangeWebhook(context, endpointId, { kind: 'switch-off', reason }));
    this.observer.switchedOff(environment, reason);
    this.logger.warn(
      { environment, tenant, endpoint: endpointId, reason },
      'a webhook endpoint was switched off: its owner has to mend it and enable it again',
    );
  }
}

function resultOf(outcome: CallOutcome) {
  if (outcome.kind !== 'answered') return { statusCode: null, answer: null, error: outcome.error };
  return { statusCode: outcome.statusCode, answer: outcome.answer, error: null };
}

/** By Standard Webhooks, this status means that no more messages are wanted. */
function isGone(outcome: CallOutcome): boolean {
  return outcome.kind === 'answered' && outcome.statusCode === 410;
}

function verdictOn(outcome: CallOutcome, { deliveryId, attempts }: Delivery, now: Date): AttemptVerdict {
  if (isDelivered(outcome)) return { kind: 'delivered' };
  if (isGone(outcome)) return { kind: 'failed', retryAt: null };
  const retryAfter = outcome.kind === 'answered' ? outcome.retryAfter : undefined;
  const pauseMs = pauseAfter(attempts + 1, retryAfter, chanceOf(deliveryId));
  return { kind: 'failed', retryAt: pauseMs === undefined ? null : new Date(now.getTime() + pauseMs) };
}
