import { CommandBus } from '@nestjs/cqrs';
import { AccountCommandHandler } from '#application/account/account-command.handler.js';
import type { AccountWriter } from '#application/account/account-writer.js';
import type { DispatchCheck } from '#application/dispatch/dispatch-check.js';
import { Dispatcher } from '#application/dispatch/dispatcher.js';
import { References } from '#application/dispatch/references.js';
import { Operations } from '#application/operation/operations.js';
import { StoredPictures } from '#application/picture/stored-pictures.js';
import { StoreRenderHandler } from '#application/picture/store-picture.handler.js';
import { StreamCommandHandler } from '#application/stream-command.handler.js';
import type { EventStore } from '#event-store/event-store.js';
import type { ObjectStorage } from '#storage/object-storage.js';

/** The ports of the process that has this bus. Without a port, its commands have no handler. */
export interface BusPorts {
  readonly store: EventStore;
  readonly accounts?: AccountWriter;
  readonly storage?: ObjectStorage;
}

/**
 * A CommandBus with the handlers that dispatches, process managers and workers write through, on the ports of a
 * test.
 */
export function commandBusOn({ store, accounts, storage }: BusPorts): CommandBus {
  const handlers: object[] = [new StreamCommandHandler(store)];
  if (accounts) handlers.push(new AccountCommandHandler(accounts));
  if (storage) handlers.push(new StoreRenderHandler(store, storage));
  return commandBusOf(handlers);
}

/** A CommandBus with these handlers and no others. */
export function commandBusOf(handlers: readonly object[]): CommandBus {
  // The bus needs the module only to find request-scoped handlers, and there are none.
  const bus = new CommandBus(undefined as never);
  const wrapped = handlers.map((instance) => {
    return { instance, metatype: instance.constructor, isDependencyTreeStatic: () => true };
  });
  // The part of Nest's wrappers that the bus reads.
  bus.register(wrapped as unknown as Parameters<CommandBus['register']>[0]);
  return bus;
}

/** The API's dispatcher on the ports of a test. */
export function dispatcherOn(store: EventStore, accounts: AccountWriter, check?: DispatchCheck): Dispatcher {
  const commands = commandBusOn({ store, accounts });
  const references = new References(store, new StoredPictures(store), check);
  return new Dispatcher(commands, store, accounts, references, new Operations(store));
}
