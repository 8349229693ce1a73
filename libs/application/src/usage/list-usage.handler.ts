import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Environment } from '#domain/streams.js';
import type { AccountWriter } from '../account/account-writer.js';
import type { Caller } from '../caller.js';
import type { Fresh, ReadYourWrites } from '../consistency/read-your-writes.js';
import type { Page, PageRequest } from '../page.js';

export interface UsageView {
  readonly requestId: string;
  readonly endpoint: string;
  readonly method: string;
  readonly status: string;
  readonly httpStatus: number | null;
  readonly creditsCharged: number;
  readonly creditsRefunded: number;
  readonly jobId: string | null;
  readonly createdAt: Date;
  readonly submittedAt: Date | null;
  readonly resolvedAt: Date | null;
  readonly latencyMs: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** The usage log of one environment. */
export abstract class UsageReads {
  /** Newest first. */
  abstract list(tenant: string, page: PageRequest): Promise<Page<UsageView>>;
}

export class ListUsage extends Query<Fresh<Page<UsageView>>> {
  constructor(
    readonly caller: Caller,
    readonly page: PageRequest,
    readonly token?: bigint,
  ) {
    super();
  }
}

/** Waits for the account's last event as well as for the caller's last write, so that it agrees with the ledger. */
@QueryHandler(ListUsage)
export class ListUsageHandler implements IQueryHandler<ListUsage> {
  constructor(
    private readonly usage: Readonly<Record<Environment, UsageReads>>,
    private readonly accounts: AccountWriter,
    private readonly consistency: ReadYourWrites,
  ) {}

  async execute({ caller, page, token }: ListUsage): Promise<Fresh<Page<UsageView>>> {
    const { environment, tenant } = caller;
    const { position } = await this.accounts.read(environment, tenant);
    const required = this.consistency.required(caller, token);
    const target = required === undefined || (position ?? -1n) > required ? position : required;
    const reached = await this.consistency.waitFor(caller, 'usage', target);
    return { value: await this.usage[environment].list(tenant, page), stale: !reached };
  }
}
