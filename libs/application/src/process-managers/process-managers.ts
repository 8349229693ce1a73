import type { Environment } from '#domain/streams.js';
import type { EventFilter } from '#event-store/event-store.js';
import { batchParents, batchParentsFilter } from './batch-parents.js';
import { chargeCloser, chargeCloserFilter } from './charge-closer.js';
import { renderDispatcher, renderDispatcherFilter } from './render-dispatcher.js';

/** All process managers that follow the log, by the name of their checkpoint, with the events that they want. */
export const processManagers: readonly {
  readonly name: string;
  filter(environment: Environment): EventFilter;
}[] = [
  { name: renderDispatcher, filter: renderDispatcherFilter },
  { name: chargeCloser, filter: chargeCloserFilter },
  { name: batchParents, filter: batchParentsFilter },
];
