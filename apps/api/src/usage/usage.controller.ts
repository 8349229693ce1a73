import { Controller, Get, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#application/caller.js';
import type { UsageView } from '#application/read-models.js';
import { ListUsage } from '#application/usage/list-usage.handler.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribeRead } from '../docs/describe.js';
import { ConsistencyToken } from '../http/consistency-token.js';
import { unwrap } from '../http/staleness.js';
import { PageQuery, ValidQuery } from '../validation/valid-request.js';
import { UsageListResponse, UsageRowResponse } from './usage.dto.js';

@ApiTags('account')
@Controller('/v1/usage')
export class UsageController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    operationId: 'listUsage',
    summary: 'Every dispatch that was called, accepted or refused, newest first',
  })
  @ApiQuery({ type: PageQuery })
  @DescribeRead(UsageListResponse)
  @DescribeErrors(401, 422)
  async list(
    @CurrentCaller() caller: Caller,
    @ValidQuery(PageQuery) { limit, offset }: PageQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UsageListResponse> {
    const page = { limit, offset };
    const { items, total } = unwrap(await this.queries.execute(new ListUsage(caller, page, token)), reply);
    return { items: items.map(present), total, limit, offset };
  }
}

/** What does not apply to a row is absent from it. */
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
