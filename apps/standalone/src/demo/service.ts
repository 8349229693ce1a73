import { resolve } from 'node:path';
import { readRuntime } from '#platform/runtime-file.js';
import { loadSettings } from '../settings.js';
import { Standalone } from '../standalone.js';

export interface Service extends AsyncDisposable {
  readonly home: string;
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly eventStoreUrl: string;
  /** False when it was running before. */
  readonly started: boolean;
}

export interface ServiceOptions {
  readonly signal: AbortSignal;
  readonly warn: (line: string) => void;
  readonly onStarting: (home: string) => void;
}

/**
 * The service that runs on ATELIER_HOME; when none does, one that is started for this purpose, on a free port, and
 * stopped by disposing of it. The data stays, and the next `npm start` goes on with it.
 * @throws StartError
 */
export async function useService(options: ServiceOptions): Promise<Service> {
  const home = resolve(process.env['ATELIER_HOME'] || '.atelier');
  const running = readRuntime(home);
  if (running) {
    return { home, ...running, started: false, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  options.onStarting(home);
  // An address for others would keep us from fetching the pictures; any free port disturbs nobody.
  const settings = loadSettings({ ...process.env, PORT: '0', PUBLIC_URL: undefined });
  const { signal, warn } = options;
  const standalone = await Standalone.start({ settings, signal, warn, seedDemoTenant: false });
  const started = readRuntime(home);
  if (!started) throw new Error('the service is ready but did not say where it is');
  return { home, ...started, started: true, [Symbol.asyncDispose]: () => standalone.stop() };
}
