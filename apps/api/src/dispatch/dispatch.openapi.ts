import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { workflowOf, type WorkflowName } from '#domain/workflow/workflows.js';
import { DescribeDispatchErrors, describedHeaders } from '../docs/describe.js';
import { WorkflowAcceptedResponse } from './dispatch.dto.js';
import type { WorkflowBody } from './workflow-bodies.js';

/** What openapi.json says about the dispatch of one workflow. */
export function describeDispatch(
  name: WorkflowName,
  { shape, summary, example }: WorkflowBody,
): MethodDecorator {
  const { credits } = workflowOf(name);
  return applyDecorators(
    ApiTags('workflows'),
    ApiOperation({
      operationId: operationIdOf(name),
      summary,
      description:
        `Costs ${credits} credits, deducted at once and refunded by itself if the job fails. The answer comes before ` +
        'the picture: poll `GET /v1/jobs/{public_id}/events`.',
    }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Makes the dispatch safe to repeat for 24 hours: the same key and body give the first answer again, with ' +
        '`Idempotent-Replayed: true`. Visible ASCII characters.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]{1,255}$' },
    }),
    ApiExtraModels(shape),
    ApiBody({
      required: true,
      schema: { $ref: getSchemaPath(shape) },
      examples: { example: { summary: 'Example', value: example } },
    }),
    ApiResponse({
      status: 202,
      description: 'Accepted: the credits are deducted and the job is queued.',
      type: WorkflowAcceptedResponse,
      headers: {
        ...describedHeaders('X-Consistency-Token'),
        Location: {
          description: 'The job.',
          schema: { type: 'string' },
          example: '/v1/jobs/01K9Z7J0V6X8Y2Z4A6B8C0D2EF',
        },
        'Idempotent-Replayed': {
          description: '`true`: this is the answer of an earlier request with the same Idempotency-Key.',
          schema: { type: 'string', enum: ['true'] },
        },
      },
    }),
    DescribeDispatchErrors(),
  );
}

/** `model-generator` → `dispatchModelGenerator`. */
function operationIdOf(name: string): string {
  return `dispatch-${name}`.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
