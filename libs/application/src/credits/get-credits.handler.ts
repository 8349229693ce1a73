import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { spentToday } from '#domain/account/account.js';
import { AccountWriter } from '../account/account-writer.js';
import type { Caller } from '../caller.js';

export interface CreditsView {
  readonly tenant: string;
  /** All amounts in credits. */
  readonly balance: number;
  readonly plan: string;
  readonly dailySpendToday: number;
  readonly dailySpendCapCredits: number;
  readonly monthlyCreditQuota: number;
  readonly rateLimitPerMin: number;
  readonly isActive: boolean;
}

/** The caller's account, from the aggregate itself: never behind. */
export class GetCredits extends Query<CreditsView> {
  constructor(
    readonly caller: Caller,
    readonly at: Date,
  ) {
    super();
  }
}

@QueryHandler(GetCredits)
export class GetCreditsHandler implements IQueryHandler<GetCredits> {
  constructor(private readonly accounts: AccountWriter) {}

  async execute({ caller, at }: GetCredits): Promise<CreditsView> {
    const { tenant } = caller;
    const { state } = await this.accounts.read(caller.environment, tenant);
    if (state.status === 'unopened') return nothing(tenant);
    const { plan, dailySpendCapCredits, monthlyCreditQuota, rateLimitPerMin } = state.terms;
    return {
      tenant,
      balance: state.balance,
      plan,
      dailySpendToday: spentToday(state, at.toISOString()),
      dailySpendCapCredits,
      monthlyCreditQuota,
      rateLimitPerMin,
      isActive: state.status === 'active',
    };
  }
}

/** A key can be there before the account is. */
function nothing(tenant: string): CreditsView {
  return {
    tenant,
    balance: 0,
    plan: '',
    dailySpendToday: 0,
    dailySpendCapCredits: 0,
    monthlyCreditQuota: 0,
    rateLimitPerMin: 0,
    isActive: false,
  };
}
