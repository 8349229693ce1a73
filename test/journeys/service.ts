import { Atelier, run } from '../standalone/support/atelier.js';
import { temporaryHome } from '../standalone/support/home.js';
import { Client } from './client.js';

/** `npm start` in a folder of its own, and a tenant with credits. */
export interface JourneyService extends AsyncDisposable {
  readonly baseUrl: string;
  readonly client: Client;
  readonly key: string;
  /** Runs a verb of the operator's command. */
  operator(...args: string[]): Promise<Record<string, string>>;
  /** A key for a new tenant in the test environment. */
  testKey(credits: number): Promise<string>;
}

/** @param settings of the service, beside those that tests have anyway */
export async function startService(
  credits: number,
  settings: NodeJS.ProcessEnv = {},
): Promise<JourneyService> {
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
    const { tenant_id: tenant = '' } = await operator(
      'tenants',
      'create',
      '--name',
      'Journeys',
      '--env',
      env,
      '--credits',
      String(credits),
      '--rate-limit',
      '100000',
    );
    const { key = '' } = await operator(
      'keys',
      'issue',
      '--tenant',
      tenant,
      '--env',
      env,
      '--capabilities',
      'jobs:create,jobs:read',
    );
    return key;
  };
  const key = await keyOf('live', credits);
  const started = starting.move();
  return {
    baseUrl: atelier.baseUrl,
    client: new Client(atelier.baseUrl, key),
    key,
    operator,
    testKey: (ofTests) => keyOf('test', ofTests),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
