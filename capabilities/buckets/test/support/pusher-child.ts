import { runRole } from '#platform/run-role.js';
import { logger, startPusher } from './pushing.js';

/** A pusher in a process of its own, to be killed. */
const [, , databaseUrl = '', folder = ''] = process.argv;

await runRole(logger, () => startPusher({ databaseUrl, folder }));
