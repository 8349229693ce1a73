import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { declaredNotices } from '#capabilities/parts.js';
import { environments } from '#domain/streams.js';
import { webhookMessages } from './webhook-messages.dto.js';

/** Describes the messages to endpoints, for people who generate code from the description. */
export function describeWebhooks(document: OpenAPIObject): void {
  const sent = { type: 'string' } as const;
  const parameters = [
    {
      name: 'webhook-id',
      description:
        'The id of the delivery. It stays the same when the delivery is sent again, so that you can ignore repeats.',
    },
    { name: 'webhook-timestamp', description: 'The time of this attempt, in seconds since 1970.' },
    {
      name: 'webhook-signature',
      description: 'One signature, or two while a secret is rotated: `v1,{base64} v1,{base64}`.',
    },
  ].map((header) => ({ ...header, in: 'header' as const, required: true, schema: sent }));
  const schemas = (document.components ??= {}).schemas ?? {};
  document.components.schemas = schemas;
  const ofNotices = declaredNotices.map(({ topic, summary, content }) => {
    // `picture.expiring` → PictureExpiringMessage.
    const name = `${topic.replace(/(?:^|[.])(\w)/g, (_, first: string) => first.toUpperCase())}Message`;
    schemas[name] = messageOf(topic, content);
    return { type: topic, summary, schema: { $ref: getSchemaPath(name) } };
  });
  const own = webhookMessages.map(({ type, shape, summary }) => ({
    type,
    summary,
    schema: { $ref: getSchemaPath(shape) },
  }));
  document.webhooks = Object.fromEntries(
    [...own, ...ofNotices].map(({ type, summary, schema }) => {
      const content = { 'application/json': { schema } };
      const post: NonNullable<OpenAPIObject['paths'][string]['post']> = {
        operationId: `on-${type}`,
        summary,
        tags: ['webhooks'],
        security: [],
        parameters,
        requestBody: { required: true, content },
        responses: {
          '2XX': {
            description:
              'Received. After any other answer, or none within ten seconds, the call is tried again.',
          },
          '410': { description: 'Switches the endpoint off.' },
        },
      };
      return [type, { post }];
    }),
  );
}

type Schema = Exclude<
  NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string],
  { $ref: string }
>;

/** The body of a notice, in the form of the other messages. */
function messageOf(topic: string, content: Readonly<Record<string, Schema>>): Schema {
  const url: Schema = {
    type: 'string',
    format: 'uri',
    description: 'Address of the current state. A read needs an API key.',
    example: 'https://atelier.example/v1/uploads/01K9Z7J0V6X8Y2Z4A6B8C0D2EF',
  };
  const time: Schema = { type: 'string', format: 'date-time', example: '2026-01-31T12:00:00.000Z' };
  return objectOf({
    timestamp: { ...time, description: 'When it happened.' },
    environment: { type: 'string', enum: [...environments] },
    type: { type: 'string', enum: [topic] },
    data: objectOf({ ...content, url }),
  });
}

function objectOf(properties: Record<string, Schema>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) };
}
