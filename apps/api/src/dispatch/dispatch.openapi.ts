import {
  ApiProperty,
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { jobStatuses, JobDetailResponse } from '../jobs/jobs.dto.js';
import { BooleanQuery } from '../http/valid-request.js';
import { applyDecorators } from '@nestjs/common';
import type { Workflow } from '#workflows/define-workflow.js';
import { DescribeErrors, describedHeaders, jobId, requestId } from '../http/describe.js';
import {
  expectedCreditsHeader,
  longestPreferredWaitS,
  testOutcomeHeader,
  testOutcomes,
} from './dispatch-headers.js';

export class DispatchQuery {
  @BooleanQuery({
    description:
      '`true`: checks everything, including the pictures that the body refers to, and answers 200 with the cost. ' +
      'Nothing is charged, recorded or queued, and an Idempotency-Key is not used up.',
    default: false,
  })
  dry_run: boolean = false;
}

export class WorkflowAcceptedResponse {
  @ApiProperty({ description: 'The same as in the row of the usage log.', ...requestId })
  request_id: string;

  @ApiProperty({ description: 'The job to poll.', ...jobId })
  job_id: string;

  @ApiProperty({ enum: jobStatuses, enumName: 'JobStatus', default: 'NOT_STARTED' })
  status: string;

  @ApiProperty({
    description: 'Credits that were deducted. They are refunded automatically if the job fails.',
    type: 'integer',
    minimum: 0,
    example: 5,
  })
  credits_cost: number;
}

export class DryRunResponse {
  @ApiProperty({ description: 'Nothing was charged, recorded or queued.', type: Boolean, enum: [true] })
  dry_run: true;

  @ApiProperty({ description: 'The workflow.', example: 'model-generator' })
  operation: string;

  @ApiProperty({
    description: 'Credits that the dispatch would cost. For a batch: for all its photographs.',
    type: 'integer',
    minimum: 0,
    example: 5,
  })
  credits_cost: number;

  @ApiProperty({ description: 'The current balance in credits.', type: 'integer', minimum: 0, example: 95 })
  balance: number;

  @ApiProperty({ description: 'Whether the balance covers the cost.', example: true })
  sufficient: boolean;

  @ApiProperty({ description: "Whether the rest of today's spend cap covers the cost.", example: true })
  daily_cap_ok: boolean;

  @ApiProperty({ description: 'Whether the dispatch would be accepted now.', example: true })
  would_be_accepted: boolean;
}

export function describeDispatch(workflow: Workflow): MethodDecorator {
  const { name, body, summary, examples } = workflow;
  return applyDecorators(
    ApiTags('workflows'),
    ApiOperation({ operationId: operationIdOf(name), summary, description: descriptionOf(workflow) }),
    ApiQuery({ type: DispatchQuery }),
    describedRequestHeaders(),
    ApiExtraModels(body, JobDetailResponse, DryRunResponse),
    ApiBody({
      required: true,
      schema: { $ref: getSchemaPath(body) },
      examples: Object.fromEntries(
        Object.entries(examples).map(([key, value]) => [key, { summary: titleOf(key), value }]),
      ),
    }),
    describedAnswers(),
    DescribeErrors(
      401,
      402,
      '403 of a dispatch',
      404,
      '409 of a dispatch',
      410,
      413,
      415,
      '422 of a dispatch',
    ),
  );
}

function descriptionOf({ credits, batch }: Workflow): string {
  const each = batch ? ` for each of its ${batch.field}` : '';
  return (
    `Costs ${credits} credits${each}, unless the operator has set another price: see \`GET /v1/operations\`. The credits ` +
    'are deducted at once, and refunded automatically if the job fails. The answer comes before the picture: poll ' +
    '`GET /v1/jobs/{public_id}/events`, or send `Prefer: wait=N`.'
  );
}

function describedRequestHeaders(): MethodDecorator {
  const outcomes = Object.entries(testOutcomes).map(([outcome, meaning]) => `\`${outcome}\`: ${meaning}`);
  return applyDecorators(
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Makes the dispatch safe to repeat for 24 hours: the same key and body give the first answer again, with ' +
        '`Idempotent-Replayed: true`. A refusal is not remembered: once its cause is fixed, you may send the same key again. ' +
        'Visible ASCII characters.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]{1,255}$' },
    }),
    ApiHeader({
      name: 'Prefer',
      required: false,
      description:
        `\`wait=N\`: if the job ends within N seconds (1 to ${longestPreferredWaitS}; more counts as ` +
        `${longestPreferredWaitS}), the answer is 200 with the job. Otherwise it is 202 as usual. RFC 7240.`,
      schema: { type: 'string' },
      example: 'wait=20',
    }),
    ApiHeader({
      name: expectedCreditsHeader,
      required: false,
      description:
        'The credits that you agreed to, for example the `credits_cost` of a dry run. If the dispatch would cost ' +
        'anything else, it is refused with 409 PRICE_CHANGED, and nothing is charged.',
      schema: { type: 'string', pattern: '^[0-9]{1,9}$' },
      example: '5',
    }),
    ApiHeader({
      name: testOutcomeHeader,
      required: false,
      description: `With \`sk_test_\` keys only: the path that the job takes. ${outcomes.join('; ')}.`,
      schema: { type: 'string', enum: Object.keys(testOutcomes) },
    }),
  );
}

function describedAnswers(): MethodDecorator {
  const headers = {
    ...describedHeaders('X-Consistency-Token'),
    Location: {
      description: 'The job.',
      schema: { type: 'string' as const },
      example: '/v1/jobs/01K9Z7J0V6X8Y2Z4A6B8C0D2EF',
    },
    'Idempotent-Replayed': {
      description: '`true`: this is the answer of an earlier request with the same Idempotency-Key.',
      schema: { type: 'string' as const, enum: ['true'] },
    },
  };
  return applyDecorators(
    ApiResponse({
      status: 200,
      description:
        'With `Prefer: wait=N`: the job, which has ended in time. With `dry_run=true`: what a dispatch would cost.',
      headers: {
        ...headers,
        'Preference-Applied': {
          description: 'The preference that was honoured; absent from a dry run.',
          schema: { type: 'string' },
          example: 'wait=20',
        },
      },
      content: {
        'application/json': {
          schema: {
            oneOf: [{ $ref: getSchemaPath(JobDetailResponse) }, { $ref: getSchemaPath(DryRunResponse) }],
          },
        },
      },
    }),
    ApiResponse({
      status: 202,
      description: 'Accepted: the credits are deducted and the job is queued.',
      type: WorkflowAcceptedResponse,
      headers,
    }),
  );
}

/** `model-generator` → `dispatchModelGenerator`. */
function operationIdOf(name: string): string {
  return `dispatch-${name}`.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** `full_body` → `Full body`. */
function titleOf(key: string): string {
  return `${key.charAt(0).toUpperCase()}${key.slice(1).replaceAll('_', ' ')}`;
}
