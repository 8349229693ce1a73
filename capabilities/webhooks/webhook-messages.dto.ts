import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { environments, type Environment } from '#domain/streams.js';
import type { WebhookDisableReason, WebhookMessageType } from './webhook.events.js';
import { Word } from '#api/http/vocabulary.js';

/* The messages to endpoints. The dispatcher makes the data of the types that openapi.json describes. */

const id = { minLength: 26, maxLength: 26, example: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF' };
const jobUrl = { format: 'uri', example: 'https://atelier.example/v1/jobs/01K9Z7J0V6X8Y2Z4A6B8C0D2EF' };
const askWithKey = 'Address of the current state. A read needs an API key.';

export class JobOutcomeMessageData {
  @ApiProperty(id)
  readonly job_id: string;

  @ApiProperty({ description: 'The workflow.', example: 'try-on' })
  readonly operation: string;

  @ApiProperty({ enum: ['SUCCESS', 'FAILURE'] })
  readonly status: 'SUCCESS' | 'FAILURE';

  @Word('JobErrorCode', {
    description: 'Why it failed, as in the job; null when it succeeded.',
    nullable: true,
    example: null,
  })
  readonly error_code: string | null;

  @ApiProperty({
    ...id,
    type: 'string',
    nullable: true,
    description: 'The batch to which this photograph belongs.',
    example: null,
  })
  readonly parent_job_id: string | null;

  @ApiProperty({ description: askWithKey, ...jobUrl })
  readonly url: string;
}

export class JobStageMessageData {
  @ApiProperty(id)
  readonly job_id: string;

  @Word('StageName', { example: 'garment_cutout' })
  readonly stage: string;

  @ApiProperty({ description: "Of the job's timeline.", type: 'integer', minimum: 1, example: 3 })
  readonly seq: number;

  @ApiProperty({ description: askWithKey, ...jobUrl })
  readonly url: string;
}

export class CreditsLowMessageData {
  @ApiProperty({
    description: 'The balance after the charge that took it below the threshold.',
    type: 'integer',
    minimum: 0,
    example: 98,
  })
  readonly balance: number;

  @ApiProperty({
    description: '`credits_low_below` of the endpoint.',
    type: 'integer',
    minimum: 1,
    example: 100,
  })
  readonly threshold: number;

  @ApiProperty({ description: askWithKey, format: 'uri', example: 'https://atelier.example/v1/credits' })
  readonly url: string;
}

export class WebhookTestMessageData {
  @ApiProperty(id)
  readonly endpoint_id: string;

  @ApiProperty({
    description: askWithKey,
    format: 'uri',
    example: 'https://atelier.example/v1/webhooks/01K9Z7J0V6X8Y2Z4A6B8C0D2EF',
  })
  readonly url: string;
}

export class WebhookDisabledMessageData extends WebhookTestMessageData {
  @ApiProperty({
    description: 'Every call has failed for five days, or it answered 410.',
    enum: ['failing', 'gone'],
  })
  readonly reason: Exclude<WebhookDisableReason, 'requested'>;
}

/** The body of a message, as Standard Webhooks has it. */
function MessageOf<Name extends WebhookMessageType, Data>(name: Name, about: Type<Data>) {
  class Message {
    @ApiProperty({
      description: 'When it happened.',
      format: 'date-time',
      example: '2026-01-31T12:00:00.000Z',
    })
    readonly timestamp: string;

    @ApiProperty({ enum: environments })
    readonly environment: Environment;

    @ApiProperty({ enum: [name] })
    readonly type: Name;

    @ApiProperty({ type: about })
    readonly data: Data;
  }
  return Message;
}

class JobSucceededMessage extends MessageOf('job.succeeded', JobOutcomeMessageData) {}
class JobFailedMessage extends MessageOf('job.failed', JobOutcomeMessageData) {}
class BatchFinishedMessage extends MessageOf('batch.finished', JobOutcomeMessageData) {}
class JobStageMessage extends MessageOf('job.stage', JobStageMessageData) {}
class CreditsLowMessage extends MessageOf('credits.low', CreditsLowMessageData) {}
class WebhookDisabledMessage extends MessageOf('webhook.disabled', WebhookDisabledMessageData) {}
class WebhookTestMessage extends MessageOf('webhook.test', WebhookTestMessageData) {}

/** Each message, and when it is sent. */
export const webhookMessages = [
  { type: 'job.succeeded', shape: JobSucceededMessage, summary: 'A job has succeeded' },
  {
    type: 'job.failed',
    shape: JobFailedMessage,
    summary: 'A job has failed or was cancelled, and is refunded',
  },
  { type: 'job.stage', shape: JobStageMessage, summary: 'A job has completed a stage' },
  { type: 'batch.finished', shape: BatchFinishedMessage, summary: 'All photographs of a batch have ended' },
  { type: 'credits.low', shape: CreditsLowMessage, summary: 'The balance fell below `credits_low_below`' },
  {
    type: 'webhook.disabled',
    shape: WebhookDisabledMessage,
    summary: 'Another endpoint was switched off: it has failed for five days, or answered 410',
  },
  { type: 'webhook.test', shape: WebhookTestMessage, summary: 'A test event was requested' },
] as const;
