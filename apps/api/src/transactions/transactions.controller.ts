import { Controller, Get, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#application/caller.js';
import { ListTransactions } from '#application/ledger/list-transactions.handler.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribeRead } from '../docs/describe.js';
import { unwrap } from '../http/staleness.js';
import { PageQuery, ValidQuery } from '../validation/valid-request.js';
import { LedgerResponse } from './transactions.dto.js';

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
