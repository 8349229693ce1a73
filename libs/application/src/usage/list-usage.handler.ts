import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { AccountWriter } from '../account/account-writer.js';
import type { Caller } from '../caller.js';
import { type Fresh, ReadYourWrites } from '../consistency/read-your-writes.js';
import { type Page, type PageRequest, type UsageView, ReadModels } from '../read-models.js';

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
    private readonly reads: ReadModels,
    private readonly accounts: AccountWriter,
    private readonly consistency: ReadYourWrites,
  ) {}

  async execute({ caller, page, token }: ListUsage): Promise<Fresh<Page<UsageView>>> {
    const { environment, tenant } = caller;
    const { position } = await this.accounts.read(environment, tenant);
    const required = this.consistency.required(caller, token);
    const target = required === undefined || (position ?? -1n) > required ? position : required;
    const reached = await this.consistency.waitFor(caller, 'usage', target);
    return { value: await this.reads.of(environment).usage.list(tenant, page), stale: !reached };
  }
}
