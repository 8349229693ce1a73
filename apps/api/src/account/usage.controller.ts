import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiPropertyOptional, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#application/command-context.js';
import type { UsageView } from '#application/read-models.js';
import { AccountQueries } from '#application/ledger/account-queries.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribeRead, jobId, PageOf, requestId } from '../http/describe.js';
import { ConsistencyToken, unwrap } from '../http/consistency-token.js';
import { PageQuery, ValidQuery } from '../http/valid-request.js';
import { Word } from '../http/vocabulary.js';

const moment = { format: 'date-time', example: '2026-01-31T12:00:00.000Z' };

export class UsageRowResponse {
  @ApiProperty(requestId)
  request_id: string;

  @ApiProperty({
    description: 'The path as this reference writes it, for example `/v1/jobs/{public_id}/cancel`.',
    example: '/v1/model-generator',
  })
  endpoint: string;

  @ApiProperty({ example: 'POST' })
  method: string;

  @ApiProperty({ enum: ['PENDING', 'SUCCESS', 'FAILED', 'REFUNDED'], enumName: 'UsageStatus' })
  status: string;

  @ApiPropertyOptional({ type: 'integer', example: 202 })
  http_status?: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 5 })
  credits_charged: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  credits_refunded: number;

  @ApiPropertyOptional(jobId)
  job_id?: string;

  @ApiPropertyOptional(moment)
  created_at?: string;

  @ApiPropertyOptional({ description: 'When the job was queued.', ...moment })
  submitted_at?: string;

  @ApiPropertyOptional({
    description:
      'When the charge was settled or refunded. For a call without a charge: when it was answered.',
    format: 'date-time',
    example: '2026-01-31T12:00:01.000Z',
  })
  resolved_at?: string;

  @ApiPropertyOptional({
    description: 'From created to resolved. Not measured for a write that costs nothing.',
    type: 'integer',
    minimum: 0,
    example: 1000,
  })
  latency_ms?: number;

  @Word('ErrorCode', { required: false, example: 'INSUFFICIENT_BALANCE' })
  error_code?: string;

  @ApiPropertyOptional({ example: 'This costs 5 credits and the balance is 3.' })
  error_message?: string;
}

export class UsageListResponse extends PageOf(UsageRowResponse, { total: 'Rows in all.' }) {}

@ApiTags('account')
@Controller('/v1/usage')
export class UsageController {
  constructor(private readonly account: AccountQueries) {}

  @Get()
  @ApiOperation({
    summary:
      'Your calls, newest first: each dispatch, accepted or refused, and each write that costs nothing',
    description:
      'A write that costs nothing (an upload; a product that is created, changed or archived; a retired entry of the catalogue; ' +
      'a cancelled job) has a row with 0 credits, unless it was refused or changed nothing. Reads, webhook endpoints and ' +
      'client tokens have no row. Neither have calls that are answered with 401, 429 or 5xx.',
  })
  @ApiQuery({ type: PageQuery })
  @DescribeRead(UsageListResponse)
  @DescribeErrors(401, 403, 422)
  async listUsage(
    @CurrentCaller() caller: Caller,
    @ValidQuery(PageQuery) { limit, offset }: PageQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UsageListResponse> {
    const { items, total } = unwrap(await this.account.usage(caller, { limit, offset }, token), reply);
    return { items: items.map(present), total, limit, offset };
  }
}

/** Converts a row into the form of the API. Members that do not apply to the row are absent. */
function present(row: UsageView): UsageRowResponse {
  return {
    request_id: row.requestId,
    endpoint: row.endpoint,
    method: row.method,
    status: row.status,
    credits_charged: row.creditsCharged,
    credits_refunded: row.creditsRefunded,
    created_at: row.createdAt.toISOString(),
    ...(row.httpStatus !== null && { http_status: row.httpStatus }),
    ...(row.jobId !== null && { job_id: row.jobId }),
    ...(row.submittedAt && { submitted_at: row.submittedAt.toISOString() }),
    ...(row.resolvedAt && { resolved_at: row.resolvedAt.toISOString() }),
    ...(row.latencyMs !== null && { latency_ms: row.latencyMs }),
    ...(row.errorCode !== null && { error_code: row.errorCode }),
    ...(row.errorMessage !== null && { error_message: row.errorMessage }),
  };
}
