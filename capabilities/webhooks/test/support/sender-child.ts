import { createLogger } from '#platform/logger.js';
import { runRole } from '#platform/run-role.js';
import { startSender } from './post-office.js';

/** A sender in a process of its own, to be killed. */
const [, , databaseUrl = ''] = process.argv;

await runRole(createLogger('worker', 'silent'), () => startSender(databaseUrl));
