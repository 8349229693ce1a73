import { disableOperation, enableOperation, priceOperation } from '#domain/operation/operation.js';
import { streamName } from '#domain/streams.js';
import { workflowOf } from '#workflows/workflows.js';
import type { EventStore } from '#event-store/event-store.js';
import { handle } from '../aggregate.js';
import type { CommandContext } from '../command-context.js';
import { operationAggregate } from './operations.js';

/** Whom the metadata of an operation's events names as tenant: it belongs to the installation. */
export const installation = 'installation';

/**
 * Sets the price of a workflow in one environment: every dispatch that begins from now on costs that, in every
 * process. What was charged stays what it is.
 * @throws RangeError for a name that is not in the table
 */
export function setOperationPrice(
  store: EventStore,
  context: CommandContext,
  name: string,
  price: { readonly credits: number; readonly reason: string },
) {
  const command = { ...price, at: context.at.toISOString() };
  return handle(
    store,
    streamOf(context, name),
    operationAggregate,
    (state) => priceOperation(command, state),
    context,
  );
}

/** Lets a workflow be dispatched, or no more. Jobs that are under way go on. @throws RangeError as above */
export function switchOperation(
  store: EventStore,
  context: CommandContext,
  name: string,
  change: { readonly enabled: boolean; readonly reason: string },
) {
  const command = { reason: change.reason, at: context.at.toISOString() };
  const decide = change.enabled ? enableOperation : disableOperation;
  return handle(
    store,
    streamOf(context, name),
    operationAggregate,
    (state) => decide(command, state),
    context,
  );
}

function streamOf({ environment }: CommandContext, name: string): string {
  return streamName(environment, 'operation', workflowOf(name).name);
}
