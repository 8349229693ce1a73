import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { webhookMessages } from './webhook-messages.dto.js';

/** Describes the messages to endpoints, for people who generate code from the description. */
export function describeWebhooks(document: OpenAPIObject): void {
  const sent = { type: 'string' } as const;
  const parameters = [
    {
      name: 'webhook-id',
      description: 'Of the delivery. The same whenever it is sent again: by it you notice that.',
    },
    { name: 'webhook-timestamp', description: 'Of this attempt, in seconds since 1970.' },
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
            description: 'Received. Anything else, and no answer within ten seconds, is tried again.',
          },
          '410': { description: 'Switches the endpoint off.' },
        },
      };
      return [type, { post }];
    }),
  );
}
