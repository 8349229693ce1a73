import type { Environment } from '#domain/streams.js';
import type { WebhookDisableReason, WebhookMessageType } from './webhook.events.js';
import { derivedId } from '#platform/ids.js';

/**
 * The subject of a message. It holds only what a receiver needs to look further with a key: ids, a status, a
 * link.
 */
export interface JobOutcomeData {
  readonly job_id: string;
  /** The workflow, for example `try-on`. */
  readonly operation: string;
  readonly status: 'SUCCESS' | 'FAILURE';
  /** Why it failed; null when it succeeded. */
  readonly error_code: string | null;
  /** The batch to which this photograph belongs. */
  readonly parent_job_id: string | null;
  readonly url: string;
}

export interface JobStageData {
  readonly job_id: string;
  readonly stage: string;
  /** The place in the job's timeline. */
  readonly seq: number;
  readonly url: string;
}

export interface CreditsLowData {
  /** The balance after the debit that took it below the threshold. */
  readonly balance: number;
  readonly threshold: number;
  readonly url: string;
}

/** Another endpoint of the tenant was switched off. */
export interface WebhookDisabledData {
  readonly endpoint_id: string;
  readonly reason: Exclude<WebhookDisableReason, 'requested'>;
  readonly url: string;
}

export interface WebhookTestData {
  readonly endpoint_id: string;
  readonly url: string;
}

/** The content of a message, without its receiver. */
export type WebhookContent =
  | { readonly type: 'job.succeeded' | 'job.failed' | 'batch.finished'; readonly data: JobOutcomeData }
  | { readonly type: 'job.stage'; readonly data: JobStageData }
  | { readonly type: 'credits.low'; readonly data: CreditsLowData }
  | { readonly type: 'webhook.disabled'; readonly data: WebhookDisabledData }
  | { readonly type: 'webhook.test'; readonly data: WebhookTestData };

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
