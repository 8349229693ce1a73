import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '#platform/embedded-postgres.js';
import { readRuntime } from '#platform/runtime-file.js';
import { findConnections, type Connections } from '../connections.js';

export interface OpenedService extends AsyncDisposable {
  readonly connections: Connections;
}

/**
 * Where the service is whose history is copied. The last copy before a move is made while nothing runs, and then the
 * database of an `npm start` does not run either: it is started for as long as the copy takes.
 * @throws CliError when there is no service to be found
 */
export async function openService(): Promise<OpenedService> {
  const home = resolve(process.env['ATELIER_HOME'] || '.atelier');
  const postgres = join(home, 'postgres');
  if (process.env['DATABASE_URL'] || readRuntime(home) || !existsSync(postgres))
    return { connections: findConnections(), [Symbol.asyncDispose]: () => Promise.resolve() };
  const server = await startEmbeddedPostgres({
    dataDirectory: postgres,
    logFile: join(home, 'logs', 'postgres.log'),
  });
  const connections = findConnections({ ...process.env, DATABASE_URL: server.url });
  // One that ran already belongs to somebody who will end it.
  const stop = () => (server.alreadyRunning ? Promise.resolve() : server.stop());
  return { connections, [Symbol.asyncDispose]: stop };
}
