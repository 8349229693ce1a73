import { installed } from '#capabilities/installed.js';
import type { Environment } from '#domain/streams.js';
import type { EventFilter } from '#event-store/event-store.js';
import type { Follows } from './process-manager.js';

// What is known of the process managers without their code: for a look at how far they are.

const ofJobs = (name: string, ...types: string[]): Follows => ({ name, types, categories: ['job'] });

export const renderDispatcher = 'render-dispatcher';
export const renderDispatcherFollows = ofJobs(renderDispatcher, 'JobQueued', 'StageCompleted');

export const chargeCloser = 'charge-closer';
export const chargeCloserFollows = ofJobs(
  chargeCloser,
  'JobSucceeded',
  'JobFailed',
  'JobCancelled',
  'JobVoided',
);

export const batchParents = 'batch-parents';
export const batchParentsFollows = ofJobs(
  batchParents,
  'JobQueued',
  'JobSucceeded',
  'JobFailed',
  'JobCancelled',
);

/** The events of one environment that a process manager wants. */
export function filterOf({ types, categories }: Follows, environment: Environment): EventFilter {
  return { types, streamPrefixes: categories.map((category) => `${environment}.${category}-`) };
}

/** All process managers that follow the log, by the name of their checkpoint, with the events that they want. */
export const processManagers = [
  renderDispatcherFollows,
  chargeCloserFollows,
  batchParentsFollows,
  ...installed.flatMap((capability) => capability.processManagers),
].map((follows) => ({
  name: follows.name,
  filter: (environment: Environment) => filterOf(follows, environment),
}));
