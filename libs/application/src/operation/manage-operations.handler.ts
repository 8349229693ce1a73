import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  disableOperation,
  enableOperation,
  priceOperation,
  schedulePrice,
  type Operation,
  type OperationRejection,
} from '#domain/operation/operation.js';
import { streamName } from '#domain/streams.js';
import { workflowOf } from '#workflows/workflows.js';
import { EventStore } from '#event-store/event-store.js';
import { handle, type Handled } from '../aggregate.js';
import type { CommandContext } from '../command-context.js';
import { operationAggregate } from './operations.js';

type PricedOperation = Handled<Operation, OperationRejection>;

/**
 * Sets the price of a workflow in one environment. It holds for every dispatch that begins later, in every
 * process. Earlier charges stay as they are. Fails with a RangeError for a name that is not in the workflow
 * table.
 */
export class PriceOperation extends Command<PricedOperation> {
  constructor(
    readonly context: CommandContext,
    readonly workflow: string,
    readonly price: { readonly credits: number; readonly reason: string },
  ) {
    super();
  }
}

@CommandHandler(PriceOperation)
export class PriceOperationHandler implements ICommandHandler<PriceOperation> {
  constructor(private readonly store: EventStore) {}

  async execute({ context, workflow, price: { credits, reason } }: PriceOperation): Promise<PricedOperation> {
    const price = { credits, reason, at: context.at.toISOString() };
    const stream = streamOf(context, workflow);
    return handle(this.store, stream, operationAggregate, (state) => priceOperation(price, state), context);
  }
}

/** Sets the price of a workflow from an instant on. Without credits, it removes the scheduled price. */
export class SchedulePrice extends Command<PricedOperation> {
  constructor(
    readonly context: CommandContext,
    readonly workflow: string,
    readonly price: { readonly credits: number | null; readonly from: Date; readonly reason: string },
  ) {
    super();
  }
}

@CommandHandler(SchedulePrice)
export class SchedulePriceHandler implements ICommandHandler<SchedulePrice> {
  constructor(private readonly store: EventStore) {}

  async execute({ context, workflow, price }: SchedulePrice): Promise<PricedOperation> {
    const scheduled = { ...price, from: price.from.toISOString(), at: context.at.toISOString() };
    const decide = (state: Operation) => schedulePrice(scheduled, state);
    return handle(this.store, streamOf(context, workflow), operationAggregate, decide, context);
  }
}

/**
 * Enables or disables new dispatches of a workflow. Jobs that are under way go on. Fails with a RangeError for
 * a name that is not in the workflow table.
 */
export class SwitchOperation extends Command<Handled<Operation, never>> {
  constructor(
    readonly context: CommandContext,
    readonly workflow: string,
    readonly change: { readonly enabled: boolean; readonly reason: string },
  ) {
    super();
  }
}

@CommandHandler(SwitchOperation)
export class SwitchOperationHandler implements ICommandHandler<SwitchOperation> {
  constructor(private readonly store: EventStore) {}

  async execute({
    context,
    workflow,
    change: { enabled, reason },
  }: SwitchOperation): Promise<Handled<Operation, never>> {
    const decide = enabled ? enableOperation : disableOperation;
    const change = { reason, at: context.at.toISOString() };
    const stream = streamOf(context, workflow);
    return handle(this.store, stream, operationAggregate, (state) => decide(change, state), context);
  }
}

function streamOf({ environment }: CommandContext, workflow: string): string {
  return streamName(environment, 'operation', workflowOf(workflow).name);
}

export const operationHandlers = [PriceOperationHandler, SchedulePriceHandler, SwitchOperationHandler];
