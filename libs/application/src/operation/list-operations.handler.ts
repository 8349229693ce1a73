import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Caller } from '../caller.js';
import { Operations, type OperationView } from './operations.js';

/** What can be dispatched in the caller's environment, and what it costs there. */
export class ListOperations extends Query<readonly OperationView[]> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(ListOperations)
export class ListOperationsHandler implements IQueryHandler<ListOperations> {
  constructor(private readonly operations: Operations) {}

  execute({ caller }: ListOperations): Promise<readonly OperationView[]> {
    return this.operations.list(caller.environment);
  }
}
