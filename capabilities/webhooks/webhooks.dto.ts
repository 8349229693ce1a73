import { PageOf } from '#api/http/describe.js';
import { ApiProperty } from '@nestjs/swagger';
import type { DeliveryStatus, DeliveryWithAttempts } from './deliveries.js';
import type { WebhookDisableReason, WebhookTopic } from './webhook.events.js';
import { webhookTopics, type WebhookEndpoint } from './webhook.js';
import {
  BooleanField,
  choice,
  ChoiceField,
  IdField,
  IntegerField,
  ListField,
  TextField,
} from '#validation/fields.js';
import { equal, exactlyOneOf, given, implies, Relations } from '#validation/relations.js';
import { DateTimeField, PageQuery } from '#api/http/valid-request.js';

const exampleId = '01K9Z7J0V6X8Y2Z4A6B8C0D2EF';
const exampleTime = '2026-01-31T12:00:00.000Z';
const id = { minLength: 26, maxLength: 26, example: exampleId };
const time = { format: 'date-time', example: exampleTime };

const fields = {
  url: {
    description: 'Where messages are sent: an `https://` URL that is reached over the internet.',
    min: 1,
    max: 2048,
    example: 'https://shop.example/hooks/atelier',
  },
  events: {
    description: 'Which messages are sent.',
    items: choice(webhookTopics),
    min: 1,
    max: webhookTopics.length,
    unique: true,
    example: ['job.succeeded', 'job.failed'],
  },
  description: { description: 'For people.', max: 256, example: 'Back office' },
  creditsLowBelow: {
    description: '`credits.low` is sent when a charge takes the balance below this.',
    min: 1,
    max: 1_000_000_000,
    example: 100,
  },
};

/** The value if the caller gives none. */
const creditsLowBelow = 100;

export class CreateWebhookBody {
  @TextField({ ...fields.url, required: true })
  url: string;

  @ListField({ ...fields.events, required: true })
  events: WebhookTopic[];

  @TextField({ ...fields.description, default: '' })
  description: string = '';

  @IntegerField({ ...fields.creditsLowBelow, default: creditsLowBelow })
  credits_low_below: number = creditsLowBelow;
}

/** Absent fields stay as they are. */
export class ReviseWebhookBody {
  @TextField(fields.url)
  url?: string;

  @ListField(fields.events)
  events?: WebhookTopic[];

  @TextField(fields.description)
  description?: string;

  @IntegerField(fields.creditsLowBelow)
  credits_low_below?: number;

  @BooleanField({
    description: '`false` stops its messages, `true` lets them flow again. Events in between are not sent.',
    example: true,
  })
  enabled?: boolean;
}

export class RotateWebhookSecretBody {
  @IntegerField({
    description: 'For how many hours the previous secret still signs as well.',
    min: 0,
    max: 168,
    default: 24,
    example: 24,
  })
  overlap_hours: number = 24;
}

const which = '`delivery_id`, or `since` with `until`, or `failed`: exactly one of them.';

@Relations(
  exactlyOneOf(given('delivery_id'), given('since'), equal('failed', true)),
  implies(given('until'), given('since'), { field: 'until', msg: 'needs since' }),
)
export class ResendWebhookBody {
  @IdField({ description: `The delivery with this id. ${which}`, example: exampleId })
  delivery_id?: string;

  @DateTimeField(`All deliveries about events from then on. ${which}`)
  since?: string;

  @DateTimeField('With `since`: only deliveries about events before then.')
  until?: string;

  @BooleanField({
    description: `\`true\`: all deliveries that have failed for good. ${which}`,
    example: true,
  })
  failed?: boolean;
}

const deliveryStatuses: readonly DeliveryStatus[] = ['pending', 'delivered', 'failed'];

export class ListDeliveriesQuery extends PageQuery {
  @ChoiceField({ description: 'Only those.', values: deliveryStatuses, name: 'DeliveryStatus' })
  status?: DeliveryStatus;
}

export class WebhookResponse {
  @ApiProperty(id)
  public_id: string;

  @ApiProperty({ format: 'uri', example: 'https://shop.example/hooks/atelier' })
  url: string;

  @ApiProperty({ enum: webhookTopics, enumName: 'WebhookTopic', isArray: true })
  events: WebhookTopic[];

  @ApiProperty({ example: 'Back office' })
  description: string;

  @ApiProperty({ type: 'integer', minimum: 1, example: creditsLowBelow })
  credits_low_below: number;

  @ApiProperty({ description: 'Whether messages are sent.' })
  enabled: boolean;

  @ApiProperty({
    description:
      'Why it is disabled: its owner requested that, every call has failed for five days, or it answered 410. Null while it is enabled.',
    enum: ['requested', 'failing', 'gone', null],
    type: 'string',
    nullable: true,
    example: null,
  })
  disabled_because: WebhookDisableReason | null;

  @ApiProperty({ ...time, type: 'string', nullable: true, example: null })
  disabled_at: string | null;

  @ApiProperty({
    description: 'When the previous secret stops signing; null when there is none.',
    ...time,
    type: 'string',
    nullable: true,
    example: null,
  })
  previous_secret_until: string | null;

  @ApiProperty(time)
  created_at: string;
}

export class WebhookWithSecretResponse extends WebhookResponse {
  @ApiProperty({
    description:
      'The secret that signs its messages. Shown only now: keep it where only your servers can read it.',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD3bOrWcEaMPs=',
    pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
  })
  secret: string;
}

export class WebhookListResponse {
  @ApiProperty({ type: [WebhookResponse] })
  items: WebhookResponse[];
}

export class WebhookAttemptResponse {
  @ApiProperty(time)
  at: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 120 })
  duration_ms: number;

  @ApiProperty({
    description: 'The HTTP status of the answer; null when none came.',
    type: 'integer',
    nullable: true,
    example: 200,
  })
  status_code: number | null;

  @ApiProperty({
    description: 'The first bytes of the answer; null when none came.',
    type: 'string',
    nullable: true,
    example: 'ok',
  })
  answer: string | null;

  @ApiProperty({ description: 'Why no answer came.', type: 'string', nullable: true, example: null })
  error: string | null;
}

export class DeliveryResponse {
  @ApiProperty({ ...id, description: 'The id in the header `webhook-id`, the same at every attempt.' })
  public_id: string;

  @ApiProperty({ enum: [...webhookTopics, 'webhook.test'], enumName: 'WebhookMessageType' })
  type: string;

  @ApiProperty({ enum: deliveryStatuses, enumName: 'DeliveryStatus' })
  status: DeliveryStatus;

  @ApiProperty({ description: 'When it happened.', ...time })
  occurred_at: string;

  @ApiProperty({
    description: 'Null when no further attempt is made, or the next one is made at once.',
    ...time,
    type: 'string',
    nullable: true,
    example: null,
  })
  next_attempt_at: string | null;

  @ApiProperty({ description: 'The oldest first.', type: [WebhookAttemptResponse] })
  attempts: WebhookAttemptResponse[];
}

export class DeliveryListResponse extends PageOf(DeliveryResponse, { description: 'Newest first.' }) {}

export class RequestedTestResponse {
  @ApiProperty({ ...id, description: 'The delivery: it appears in the list of deliveries in a moment.' })
  delivery_id: string;
}

export class RequestedResendResponse {
  @ApiProperty({ description: 'Deliveries are sent again in the background.', enum: ['REQUESTED'] })
  status: 'REQUESTED';
}

export function presentWebhook(endpoint: WebhookEndpoint, now: Date): WebhookResponse {
  const { endpointId, url, events, description, disabled, previous, registeredAt } = endpoint;
  const twoSign = previous !== undefined && Date.parse(previous.until) > now.getTime();
  return {
    public_id: endpointId,
    url,
    events: [...events],
    description,
    credits_low_below: endpoint.creditsLowBelow,
    enabled: disabled === undefined,
    disabled_because: disabled?.reason ?? null,
    disabled_at: disabled?.at ?? null,
    previous_secret_until: twoSign ? previous.until : null,
    created_at: registeredAt,
  };
}

export function presentDelivery(delivery: DeliveryWithAttempts): DeliveryResponse {
  const { deliveryId, type, status, occurredAt, nextAttemptAt, made } = delivery;
  return {
    public_id: deliveryId,
    type,
    status,
    occurred_at: occurredAt.toISOString(),
    next_attempt_at: nextAttemptAt?.toISOString() ?? null,
    attempts: made.map(({ at, durationMs, statusCode, answer, error }) => ({
      at: at.toISOString(),
      duration_ms: durationMs,
      status_code: statusCode,
      answer,
      error,
    })),
  };
}
