import { batchParents, batchParentsFilter } from '#application/process-managers/batch-parents.js';
import { chargeCloser, chargeCloserFilter } from '#application/process-managers/charge-closer.js';
import { renderDispatcher, renderDispatcherFilter } from '#application/process-managers/render-dispatcher.js';
import { categoryPrefix, environments, type Environment } from '#domain/streams.js';
import type { EventFilter } from '#event-store/event-store.js';
import { readModels } from '#projections/read-models.js';

/** Something that follows the log of one environment and keeps a checkpoint in PostgreSQL. */
export interface Consumer {
  readonly kind: 'read model' | 'process manager';
  readonly env: Environment;
  readonly name: string;
  /** The events that it has to do with. */
  readonly filter: EventFilter;
}

/** All that the projector runs. */
export const consumers: readonly Consumer[] = environments.flatMap((env): Consumer[] => [
  ...readModels.map(({ name, categories }): Consumer => {
    const streamPrefixes = categories.map((category) => categoryPrefix(env, category));
    return { kind: 'read model', env, name, filter: { streamPrefixes } };
  }),
  { kind: 'process manager', env, name: renderDispatcher, filter: renderDispatcherFilter(env) },
  { kind: 'process manager', env, name: chargeCloser, filter: chargeCloserFilter(env) },
  { kind: 'process manager', env, name: batchParents, filter: batchParentsFilter(env) },
]);
