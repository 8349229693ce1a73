import { categoryPrefix, environments, type Environment } from '#domain/streams.js';
import type { EventFilter } from '#event-store/event-store.js';
import type { ReadModel } from './read-model.js';

/** Something that follows the log of one environment and keeps a checkpoint in PostgreSQL. */
export interface Consumer {
  readonly kind: 'projection' | 'process manager';
  readonly environment: Environment;
  readonly name: string;
  /** The events that it has to do with. */
  readonly filter: EventFilter;
}

/** All that a projector runs, in both environments, whether one runs or not. */
export function consumersOf(
  readModels: readonly Pick<ReadModel<object>, 'name' | 'categories'>[],
  processManagers: readonly { readonly name: string; filter(environment: Environment): EventFilter }[],
): Consumer[] {
  return environments.flatMap((environment): Consumer[] => [
    ...readModels.map(({ name, categories }): Consumer => {
      const streamPrefixes = categories.map((category) => categoryPrefix(environment, category));
      return { kind: 'projection', environment, name, filter: { streamPrefixes } };
    }),
    ...processManagers.map(({ name, filter }): Consumer => ({
      kind: 'process manager',
      environment,
      name,
      filter: filter(environment),
    })),
  ]);
}
