import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { AccountWriter } from '../account/account-writer.js';
import type { Caller } from '../caller.js';
import { type Fresh, ReadYourWrites } from '../consistency/read-your-writes.js';
import { type LedgerEntryView, type Page, type PageRequest, ReadModels } from '../read-models.js';

export class ListTransactions extends Query<Fresh<Page<LedgerEntryView>>> {
  constructor(
    readonly caller: Caller,
    readonly page: PageRequest,
  ) {
    super();
  }
}

/**
 * Waits for the account's own last event, whichever process wrote it: so the ledger sums to the balance that
 * `GET /v1/credits` takes from the same stream.
 */
@QueryHandler(ListTransactions)
export class ListTransactionsHandler implements IQueryHandler<ListTransactions> {
  constructor(
    private readonly reads: ReadModels,
    private readonly accounts: AccountWriter,
    private readonly consistency: ReadYourWrites,
  ) {}

  async execute({ caller, page }: ListTransactions): Promise<Fresh<Page<LedgerEntryView>>> {
    const { environment, tenant } = caller;
    const { position } = await this.accounts.read(environment, tenant);
    const reached = await this.consistency.waitFor(caller, 'ledger', position);
    return { value: await this.reads.of(environment).ledger.list(tenant, page), stale: !reached };
  }
}
