import { Controller, Get, Inject } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { GetCredits } from '#application/credits/get-credits.handler.js';
import { Clock } from '#platform/clock.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribeRead } from '../docs/describe.js';
import { CreditsResponse } from './credits.dto.js';

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
