import { runContext } from '#adapters/role-context.js';
import { createLogger } from '#platform/logger.js';
import { Installation } from '#read-store/installation.js';
import { yieldToOthers } from './background-priority.js';
import { WorkerModule } from './worker.module.js';

// Where all roles share a machine, a picture can wait for an answer, and not the other way round.
await yieldToOthers();

await runContext(
  'worker',
  createLogger('worker'),
  (settings) => WorkerModule.for(settings),
  (context) => () => context.get(Installation).storeProblems(),
);
