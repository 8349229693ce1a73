import '#platform/node-version.js';
import { openContext, runApp } from '#adapters/role-context.js';
import { errorCode } from '#platform/errors.js';
import { Installation } from '#read-store/installation.js';
import { WorkerModule } from './worker.module.js';
import { readdir } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';

// If all roles share a machine, answers come first, and pictures can wait.
await yieldToOthers();

await runApp('worker', async (settings) => {
  const app = await openContext(WorkerModule.for(settings));
  return { app, problems: () => app.get(Installation).storeProblems() };
});

/**
 * Lowers the priority of this process. On Linux each thread has its own priority, and threads that it starts
 * inherit it. Node has already started the pools of threads that make pictures, so this lowers each thread.
 */
async function yieldToOthers(): Promise<void> {
  const priority = constants.priority.PRIORITY_BELOW_NORMAL;
  // Other systems have one priority for the whole process, and no such folder.
  const threads = await readdir('/proc/self/task').catch(() => [String(process.pid)]);
  for (const thread of threads) {
    try {
      setPriority(Number(thread), priority);
    } catch (error) {
      // A thread may have ended since it was listed.
      if (errorCode(error) !== 'ERR_SYSTEM_ERROR') throw error;
    }
  }
}
