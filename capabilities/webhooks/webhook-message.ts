import type { Environment } from '#domain/streams.js';
import type { WebhookMessageType, WebhookTopic } from './webhook.events.js';
import type {
  CreditsLowMessageData,
  JobOutcomeMessageData,
  JobStageMessageData,
  WebhookDisabledMessageData,
  WebhookTestMessageData,
} from './webhook-messages.dto.js';
import { derivedId } from '#platform/ids.js';

/** A notice of a capability. */
interface NoticeContent {
  readonly type: WebhookTopic;
  readonly data: Readonly<Record<string, unknown>> & { readonly url: string };
}

/**
 * The content of a message, without its receiver. It holds only what a receiver needs to look further with a key: ids, a
 * status, a link.
 */
export type WebhookContent =
  | { readonly type: 'job.succeeded' | 'job.failed' | 'batch.finished'; readonly data: JobOutcomeMessageData }
  | { readonly type: 'job.stage'; readonly data: JobStageMessageData }
  | { readonly type: 'credits.low'; readonly data: CreditsLowMessageData }
  | { readonly type: 'webhook.disabled'; readonly data: WebhookDisabledMessageData }
  | { readonly type: 'webhook.test'; readonly data: WebhookTestMessageData }
  | NoticeContent;

/** The body of a message, as Standard Webhooks has it: `type`, `timestamp`, `data`. */
export interface WebhookMessage {
  readonly type: WebhookMessageType;
  readonly timestamp: string;
  readonly environment: Environment;
  readonly data: WebhookContent['data'];
}

export function messageBody(environment: Environment, content: WebhookContent, timestamp: string): string {
  const { type, data } = content;
  return JSON.stringify({ type, timestamp, environment, data } satisfies WebhookMessage);
}

/**
 * The same event, endpoint and type always give the same id.
 * @param at when the event was recorded, in milliseconds
 */
export function deliveryIdOf(
  environment: Environment,
  eventId: string,
  endpointId: string,
  type: WebhookMessageType,
  at: number,
): string {
  return derivedId(`webhook/${environment}/${eventId}/${endpointId}/${type}`, at);
}
