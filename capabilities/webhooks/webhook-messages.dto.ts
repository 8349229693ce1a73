import { ApiProperty } from '@nestjs/swagger';
import type {
  CreditsLowData,
  JobOutcomeData,
  JobStageData,
  WebhookDisabledData,
  WebhookTestData,
} from './webhook-message.js';
import { environments, type Environment } from '#domain/streams.js';
import { Word } from '#api/http/vocabulary.js';

/*
 * The messages to endpoints, for openapi.json. Each class has the fields of the message that the application
 * makes: the compiler compares the two.
 */

const id = { minLength: 26, maxLength: 26, example: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF' };
const jobUrl = { format: 'uri', example: 'https://atelier.example/v1/jobs/01K9Z7J0V6X8Y2Z4A6B8C0D2EF' };
const askWithKey = 'Address of the current state. A read needs an API key.';

class JobOutcomeMessageData implements JobOutcomeData {
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

class JobStageMessageData implements JobStageData {
  @ApiProperty(id)
  readonly job_id: string;

  @Word('StageName', { example: 'garment_cutout' })
  readonly stage: string;

  @ApiProperty({ description: "Of the job's timeline.", type: 'integer', minimum: 1, example: 3 })
  readonly seq: number;

  @ApiProperty({ description: askWithKey, ...jobUrl })
  readonly url: string;
}

class CreditsLowMessageData implements CreditsLowData {
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

class WebhookTestMessageData implements WebhookTestData {
  @ApiProperty(id)
  readonly endpoint_id: string;

  @ApiProperty({
    description: askWithKey,
    format: 'uri',
    example: 'https://atelier.example/v1/webhooks/01K9Z7J0V6X8Y2Z4A6B8C0D2EF',
  })
  readonly url: string;
}

class WebhookDisabledMessageData extends WebhookTestMessageData implements WebhookDisabledData {
  @ApiProperty({
    description: 'Every call has failed for five days, or it answered 410.',
    enum: ['failing', 'gone'],
  })
  readonly reason: WebhookDisabledData['reason'];
}

abstract class WebhookEnvelope {
  @ApiProperty({ description: 'When it happened.', format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  readonly timestamp: string;

  @ApiProperty({ enum: environments })
  readonly environment: Environment;
}

export class JobSucceededMessage extends WebhookEnvelope {
  @ApiProperty({ enum: ['job.succeeded'] })
  readonly type: 'job.succeeded';

  @ApiProperty()
  readonly data: JobOutcomeMessageData;
}

export class JobFailedMessage extends WebhookEnvelope {
  @ApiProperty({ enum: ['job.failed'] })
  readonly type: 'job.failed';

  @ApiProperty()
  readonly data: JobOutcomeMessageData;
}

export class BatchFinishedMessage extends WebhookEnvelope {
  @ApiProperty({ enum: ['batch.finished'] })
  readonly type: 'batch.finished';

  @ApiProperty()
  readonly data: JobOutcomeMessageData;
}

export class JobStageMessage extends WebhookEnvelope {
  @ApiProperty({ enum: ['job.stage'] })
  readonly type: 'job.stage';

  @ApiProperty()
  readonly data: JobStageMessageData;
}

export class CreditsLowMessage extends WebhookEnvelope {
  @ApiProperty({ enum: ['credits.low'] })
  readonly type: 'credits.low';

  @ApiProperty()
  readonly data: CreditsLowMessageData;
}

export class WebhookDisabledMessage extends WebhookEnvelope {
  @ApiProperty({ enum: ['webhook.disabled'] })
  readonly type: 'webhook.disabled';

  @ApiProperty()
  readonly data: WebhookDisabledMessageData;
}

export class WebhookTestMessage extends WebhookEnvelope {
  @ApiProperty({ enum: ['webhook.test'] })
  readonly type: 'webhook.test';

  @ApiProperty()
  readonly data: WebhookTestMessageData;
}

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
