import { Atelier, run } from '../standalone/support/atelier.js';
import { temporaryHome } from '../standalone/support/home.js';
import { Client } from './client.js';

/** `npm start` on a folder of its own, and a tenant with credits. */
export interface JourneyService extends AsyncDisposable {
  readonly baseUrl: string;
  readonly client: Client;
  readonly key: string;
  /** Runs a verb of the operator's command. */
  operator(...args: string[]): Promise<Record<string, string>>;
}

export async function startService(credits: number): Promise<JourneyService> {
  await using starting = new AsyncDisposableStack();
  const home = starting.use(temporaryHome());
  const atelier = await Atelier.start(home.path);
  starting.defer(async () => void (await atelier.stop()));
  const operator = async (...args: string[]): Promise<Record<string, string>> => {
    const { code, stdout, stderr } = await run('cli/src/main.js', [...args, '--json'], home.path);
    if (code !== 0) throw new Error(`atelier ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, string>;
  };
  const { tenant_id: tenant = '' } = await operator(
    ...['tenants', 'create', '--name', 'Journeys', '--credits', String(credits), '--rate-limit', '100000'],
  );
  const { key = '' } = await operator(
    ...['keys', 'issue', '--tenant', tenant, '--env', 'live', '--capabilities', 'jobs:create,jobs:read'],
  );
  const started = starting.move();
  return {
    baseUrl: atelier.baseUrl,
    client: new Client(atelier.baseUrl, key),
    key,
    operator,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
