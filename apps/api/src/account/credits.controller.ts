import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags, ApiQuery } from '@nestjs/swagger';
import type { Caller } from '#application/command-context.js';
import { AccountQueries } from '#application/ledger/account-queries.js';
import { Clock } from '#platform/clock.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribeRead, PageOf } from '../http/describe.js';
import type { FastifyReply } from 'fastify';
import { unwrap } from '../http/consistency-token.js';
import { PageQuery, ValidQuery } from '../http/valid-request.js';

export class CreditsResponse {
  @ApiProperty({ example: '01K9Z7G1T9C4W6X2Y8A5S3D7FH' })
  client_id: string;

  @ApiProperty({ description: 'Credits left.', type: 'integer', minimum: 0, example: 95 })
  balance: number;

  @ApiProperty({ example: 'standard' })
  plan: string;

  @ApiProperty({
    description: 'Credits spent in the current window of 24 hours.',
    type: 'integer',
    example: 5,
  })
  daily_spend_today: number;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description: 'When that window ends and `daily_spend_today` returns to 0. Null when no window is open.',
    example: '2026-02-01T08:30:00.001Z',
  })
  daily_spend_resets_at: string | null;

  @ApiProperty({ description: '0: unlimited.', type: 'integer', minimum: 0, example: 0 })
  daily_spend_cap_credits: number;

  @ApiProperty({ description: 'Soft quota. 0: pay as you go.', type: 'integer', minimum: 0, example: 0 })
  monthly_credit_quota: number;

  @ApiProperty({ description: 'Requests per minute for one key.', type: 'integer', minimum: 0, example: 600 })
  rate_limit_per_min: number;

  @ApiProperty({ example: true })
  is_active: boolean;
}

@ApiTags('account')
@Controller('/v1/credits')
export class CreditsController {
  constructor(
    private readonly account: AccountQueries,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The balance and what limits its spending' })
  @DescribeRead(CreditsResponse)
  @DescribeErrors(401, 403)
  async getCredits(@CurrentCaller() caller: Caller): Promise<CreditsResponse> {
    const credits = await this.account.credits(caller, this.clock());
    return {
      client_id: credits.tenant,
      balance: credits.balance,
      plan: credits.plan,
      daily_spend_today: credits.dailySpendToday,
      daily_spend_resets_at: credits.dailySpendResetsAt,
      daily_spend_cap_credits: credits.dailySpendCapCredits,
      monthly_credit_quota: credits.monthlyCreditQuota,
      rate_limit_per_min: credits.rateLimitPerMin,
      is_active: credits.isActive,
    };
  }
}

export class LedgerEntryResponse {
  @ApiProperty({ example: '01K9Z7J0V4M2Q8T6R3N5B1C7DE' })
  id: string;

  @ApiProperty({ enum: ['operation', 'subscription', 'pack', 'correction'], enumName: 'LedgerKind' })
  kind: string;

  @ApiProperty({ description: 'The endpoint, or what was bought.', example: '/v1/model-generator' })
  label: string;

  @ApiProperty({
    description: 'Negative: spent, net of refunds. Positive: bought.',
    type: 'integer',
    example: -5,
  })
  credits_delta: number;

  @ApiProperty({
    enum: ['SUCCESS', 'REFUNDED', 'PENDING', 'FAILED', 'PURCHASED', 'CORRECTED'],
    enumName: 'LedgerStatus',
  })
  status: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at: string;
}

export class LedgerResponse extends PageOf(LedgerEntryResponse, {
  total: 'Entries in all.',
  description: 'Newest first. All deltas sum to the balance.',
}) {}

@ApiTags('account')
@Controller('/v1/transactions')
export class TransactionsController {
  constructor(private readonly account: AccountQueries) {}

  @Get()
  @ApiOperation({ summary: 'The credit ledger: spending and purchases, which sum to the balance' })
  @ApiQuery({ type: PageQuery })
  @DescribeRead(LedgerResponse)
  @DescribeErrors(401, 403, 422)
  async listTransactions(
    @CurrentCaller() caller: Caller,
    @ValidQuery(PageQuery) { limit, offset }: PageQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LedgerResponse> {
    const { items, total } = unwrap(await this.account.transactions(caller, { limit, offset }), reply);
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
