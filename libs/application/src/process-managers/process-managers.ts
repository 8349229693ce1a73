import { installed } from '#capabilities/installed.js';
import type { Environment } from '#domain/streams.js';
import type { EventFilter } from '#event-store/event-store.js';
import type { Follows } from './process-manager.js';

// The facts about process managers that are known without their code, so that their progress can be read.

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

export function filterOf({ types, categories }: Follows, environment: Environment): EventFilter {
  return { types, streamPrefixes: categories.map((category) => `${environment}.${category}-`) };
}

/** All process managers that follow the log, each with the name of its checkpoint and its events. */
export const processManagers = [
  renderDispatcherFollows,
  chargeCloserFollows,
  batchParentsFollows,
  ...installed.flatMap((capability) => capability.processManagers ?? []),
].map((follows) => ({
  name: follows.name,
  filter: (environment: Environment) => filterOf(follows, environment),
}));
