import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
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
  document.webhooks = Object.fromEntries(
    webhookMessages.map(({ type, shape, summary }) => {
      const content = { 'application/json': { schema: { $ref: getSchemaPath(shape) } } };
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
