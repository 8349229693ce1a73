import { Controller, Get, Inject } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/command-context.js';
import { GetCredits } from '#application/ledger/ledger.module.js';
import { Clock } from '#platform/clock.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribeRead } from '../docs/describe.js';

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

  @ApiProperty({ description: '0: unlimited.', type: 'integer', minimum: 0, example: 0 })
  daily_spend_cap_credits: number;

  @ApiProperty({ description: 'Soft quota. 0: pay as you go.', type: 'integer', minimum: 0, example: 0 })
  monthly_credit_quota: number;

  @ApiProperty({ description: 'Requests a minute of one key.', type: 'integer', minimum: 0, example: 600 })
  rate_limit_per_min: number;

  @ApiProperty({ example: true })
  is_active: boolean;
}

@ApiTags('account')
@Controller('/v1/credits')
export class CreditsController {
  constructor(
    private readonly queries: QueryBus,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'getCredits', summary: 'The balance and what limits its spending' })
  @DescribeRead(CreditsResponse)
  @DescribeErrors(401)
  async get(@CurrentCaller() caller: Caller): Promise<CreditsResponse> {
    const credits = await this.queries.execute(new GetCredits(caller, this.clock()));
    return {
      client_id: credits.tenant,
      balance: credits.balance,
      plan: credits.plan,
      daily_spend_today: credits.dailySpendToday,
      daily_spend_cap_credits: credits.dailySpendCapCredits,
      monthly_credit_quota: credits.monthlyCreditQuota,
      rate_limit_per_min: credits.rateLimitPerMin,
      is_active: credits.isActive,
    };
  }
}
