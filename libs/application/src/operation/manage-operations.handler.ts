import {
  disableOperation,
  enableOperation,
  priceOperation,
  schedulePrice,
  type Operation,
  type OperationRejection,
} from '#domain/operation/operation.js';
import type { OperationEvent } from '#domain/operation/operation.events.js';
import { streamName } from '#domain/streams.js';
import { workflowOf } from '#workflows/workflows.js';
import { StreamCommand } from '../stream-command.handler.js';
import { operationAggregate } from './operations.js';

/** A decision on one workflow. Fails with a RangeError for a name that is not in the workflow table. */
abstract class OperationCommand<Data, Rejection> extends StreamCommand<
  Data,
  Operation,
  OperationEvent,
  Rejection
> {
  readonly aggregate = operationAggregate;

  get stream(): string {
    return streamName(this.context.environment, 'operation', workflowOf(this.id).name);
  }
}

/**
 * Sets the price of a workflow in one environment. It holds for every dispatch that begins later, in every
 * process. Earlier charges stay as they are.
 */
export class PriceOperation extends OperationCommand<
  { readonly credits: number; readonly reason: string },
  OperationRejection
> {
  decide(operation: Operation, at: string) {
    return priceOperation({ ...this.data, at }, operation);
  }
}

/** Sets the price of a workflow from an instant on. Without credits, it removes the scheduled price. */
export class SchedulePrice extends OperationCommand<
  { readonly credits: number | null; readonly from: Date; readonly reason: string },
  OperationRejection
> {
  decide(operation: Operation, at: string) {
    return schedulePrice({ ...this.data, from: this.data.from.toISOString(), at }, operation);
  }
}

/** Enables or disables new dispatches of a workflow. Jobs that are under way go on. */
export class SwitchOperation extends OperationCommand<
  { readonly enabled: boolean; readonly reason: string },
  never
> {
  decide(operation: Operation, at: string) {
    const { enabled, reason } = this.data;
    return (enabled ? enableOperation : disableOperation)({ reason, at }, operation);
  }
}
