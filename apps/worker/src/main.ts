import { runContext } from '#adapters/role-context.js';
import { createLogger } from '#platform/logger.js';
import { Installation } from '#read-store/installation.js';
import { WorkerModule } from './worker.module.js';
import { readdir } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';

// Where all roles share a machine, a picture can wait for an answer, and not the other way round.
await yieldToOthers();

await runContext(
  'worker',
  createLogger('worker'),
  (settings) => WorkerModule.for(settings),
  (context) => () => context.get(Installation).storeProblems(),
);

/**
 * Lets everything else on the machine go first. On Linux each thread has a priority of its own and passes it on to the
 * threads that it starts; pictures are made in pools of threads that Node has started by now, so all of them are told.
 */
async function yieldToOthers(): Promise<void> {
  const priority = constants.priority.PRIORITY_BELOW_NORMAL;
  // Elsewhere than on Linux the process as a whole has one priority, and there is no such folder.
  const threads = await readdir('/proc/self/task').catch(() => [String(process.pid)]);
  for (const thread of threads) lower(Number(thread), priority);
}

function lower(thread: number, priority: number): void {
  try {
    setPriority(thread, priority);
  } catch (error) {
    // A thread may have ended since it was listed.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error;
  }
}
