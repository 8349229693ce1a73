import { Controller, Get, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { ListTransactions } from '#application/ledger/ledger.module.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribeRead } from '../docs/describe.js';
import { unwrap } from '../http/staleness.js';
import { PageQuery, ValidQuery } from '../validation/valid-request.js';

export class LedgerEntryResponse {
  @ApiProperty({ example: '01K9Z7J0V4M2Q8T6R3N5B1C7DE' })
  id: string;

  @ApiProperty({ enum: ['operation', 'subscription', 'pack'], enumName: 'LedgerKind' })
  kind: string;

  @ApiProperty({ description: 'The endpoint, or what was bought.', example: '/v1/model-generator' })
  label: string;

  @ApiProperty({
    description: 'Negative: spent, net of refunds. Positive: bought.',
    type: 'integer',
    example: -5,
  })
  credits_delta: number;

  @ApiProperty({ enum: ['SUCCESS', 'REFUNDED', 'PENDING', 'FAILED', 'PURCHASED'], enumName: 'LedgerStatus' })
  status: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at: string;
}

export class LedgerResponse {
  @ApiProperty({ type: [LedgerEntryResponse], description: 'Newest first. All deltas sum to the balance.' })
  items: LedgerEntryResponse[];

  @ApiProperty({ description: 'Entries in all.', type: 'integer', minimum: 0, example: 1 })
  total: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200, example: 50 })
  limit: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  offset: number;
}

@ApiTags('account')
@Controller('/v1/transactions')
export class TransactionsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    operationId: 'listTransactions',
    summary: 'The credit ledger: spending and purchases, which sum to the balance',
  })
  @ApiQuery({ type: PageQuery })
  @DescribeRead(LedgerResponse)
  @DescribeErrors(401, 422)
  async list(
    @CurrentCaller() caller: Caller,
    @ValidQuery(PageQuery) { limit, offset }: PageQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LedgerResponse> {
    const page = { limit, offset };
    const { items, total } = unwrap(await this.queries.execute(new ListTransactions(caller, page)), reply);
    const entries = items.map(({ id, kind, label, creditsDelta, status, createdAt }) => ({
      id,
      kind,
      label,
      credits_delta: creditsDelta,
      status,
      created_at: createdAt.toISOString(),
    }));
    return { items: entries, total, limit, offset };
  }
}
