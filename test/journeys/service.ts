import { Atelier, run } from '../standalone/support/atelier.js';
import { temporaryHome } from '../standalone/support/home.js';
import { Client } from './client.js';

/**
 * `npm start` in a folder of its own, and a tenant with credits.
 * @param settings of the service, beside those that tests have anyway
 */
export async function startService(credits: number, settings: NodeJS.ProcessEnv = {}) {
  await using starting = new AsyncDisposableStack();
  const home = starting.use(temporaryHome());
  const atelier = await Atelier.start(home.path, settings);
  starting.defer(async () => void (await atelier.stop()));
  const operator = async (...args: string[]): Promise<Record<string, string>> => {
    const { code, stdout, stderr } = await run(
      'capabilities/operate/main.js',
      [...args, '--json'],
      home.path,
    );
    if (code !== 0) throw new Error(`atelier ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, string>;
  };
  const keyOf = async (env: 'live' | 'test', credits: number): Promise<string> => {
    const opening = ['--name', 'Journeys', '--credits', String(credits), '--rate-limit', '100000'];
    const { tenant_id: tenant = '' } = await operator('tenants', 'create', '--env', env, ...opening);
    const grant = ['--capabilities', 'jobs:create,jobs:read,data:erase'];
    const { key = '' } = await operator('keys', 'issue', '--tenant', tenant, '--env', env, ...grant);
    return key;
  };
  const key = await keyOf('live', credits);
  const started = starting.move();
  return {
    baseUrl: atelier.baseUrl,
    client: new Client(atelier.baseUrl, key),
    key,
    /** Runs an operators' verb. @throws Error if it fails */
    operator,
    /** The folder of the installation. */
    home: home.path,
    /** A key for a new tenant in the test environment. */
    testKey: (ofTests: number) => keyOf('test', ofTests),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
