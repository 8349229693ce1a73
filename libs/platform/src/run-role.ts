import { once } from 'node:events';
import { ConfigurationError } from './configuration.js';
import type { Logger } from './logger.js';

/** A role that runs inside this process. */
export interface RunningRole {
  /** Facts that the parent gets with the message that the role is ready, for example the port. */
  readonly facts?: Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** If this variable is set, a role waits for a message with its further variables, see {@link runRole}. */
export const awaitsSettings = 'ATELIER_AWAITS_SETTINGS';

async function settingsOfParent(): Promise<void> {
  if (!process.env[awaitsSettings]) return;
  const [variables] = await once(process, 'message');
  Object.assign(process.env, variables);
}

/** Longer than any role takes to stop by itself. A role that still runs after this time hangs. */
const stopWithinMs = 20_000;

/**
 * Runs one role in this process. It waits for settings that the parent does not know yet, starts the role, and
 * reports to the parent (if any) that it is ready. It stops the role on SIGTERM, on SIGINT, or when the parent
 * is gone. If the role cannot start, the exit code is 1 and the log has the reason.
 */
export async function runRole(
  logger: Logger,
  start: (stopping: AbortSignal) => Promise<RunningRole>,
): Promise<void> {
  const stopping = new AbortController();
  const { promise: asked, resolve: ask } = Promise.withResolvers<string>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ask(signal));
  // A killed parent sends no signal, but its end of the channel closes.
  process.on('disconnect', () => ask('the parent is gone'));
  void asked.then(() => {
    stopping.abort();
    setTimeout(() => process.exit(1), stopWithinMs).unref();
  });

  // A start that waits for a server may have no open handle. Without this timer the process would then end with
  // code 13.
  const alive = setInterval(() => undefined, 60_000);
  try {
    await Promise.race([settingsOfParent(), asked]);
    stopping.signal.throwIfAborted();
    const role = await start(stopping.signal);
    clearInterval(alive);
    process.send?.({ type: 'ready', ...role.facts });
    logger.info('ready');
    const because = await asked;
    logger.info({ because }, 'stopping');
    await role.stop();
  } catch (error) {
    if (!stopping.signal.aborted) {
      if (error instanceof ConfigurationError) logger.fatal(error.message);
      else logger.fatal({ err: error }, 'could not go on');
      process.exit(1);
    }
    logger.warn({ err: error }, 'stopped in the middle');
  }
  process.exit(0);
}
