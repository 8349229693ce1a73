import { CommandBus } from '@nestjs/cqrs';
import type { AccountWriter } from '#application/account/account-writer.js';
import { CloseChargeHandler, MakeChargesHandler } from '#application/account/charges.handler.js';
import { Dispatcher } from '#application/dispatch/dispatcher.js';
import { References } from '#application/dispatch/references.js';
import {
  EndBatchHandler,
  FenceJobHandler,
  QueueJobHandler,
  ReportRenderHandler,
  StopJobHandler,
  TakeUpJobHandler,
} from '#application/job/job-writes.handler.js';
import { Operations } from '#application/operation/operations.js';
import { StoreRenderHandler } from '#application/picture/store-picture.handler.js';
import type { EventStore } from '#event-store/event-store.js';
import type { ObjectStorage } from '#storage/object-storage.js';

/** The ports of the process whose bus it is. Commands about what is left out have no handler. */
export interface BusPorts {
  readonly store: EventStore;
  readonly accounts?: AccountWriter;
  readonly storage?: ObjectStorage;
}

/** A CommandBus with the handlers of what dispatches, process managers and workers write, on the ports of a test. */
export function commandBusOn({ store, accounts, storage }: BusPorts): CommandBus {
  const jobs = [
    QueueJobHandler,
    FenceJobHandler,
    StopJobHandler,
    EndBatchHandler,
    TakeUpJobHandler,
    ReportRenderHandler,
  ];
  const handlers: object[] = jobs.map((Handler) => new Handler(store));
  if (accounts) handlers.push(new MakeChargesHandler(accounts), new CloseChargeHandler(accounts));
  if (storage) handlers.push(new StoreRenderHandler(store, storage));
  return commandBusOf(handlers);
}

/** A CommandBus with these handlers and no others. */
export function commandBusOf(handlers: readonly object[]): CommandBus {
  // It would look up request-scoped handlers by the module, of which there are none.
  const bus = new CommandBus(undefined as never);
  const wrapped = handlers.map((instance) => {
    return { instance, metatype: instance.constructor, isDependencyTreeStatic: () => true };
  });
  // As far as the bus looks at Nest's wrappers.
  bus.register(wrapped as unknown as Parameters<CommandBus['register']>[0]);
  return bus;
}

/** What dispatches in the API, on the ports of a test. */
export function dispatcherOn(store: EventStore, accounts: AccountWriter): Dispatcher {
  const commands = commandBusOn({ store, accounts });
  return new Dispatcher(commands, store, accounts, new References(store), new Operations(store));
}
