import { testSigningKey } from '../support/signing-key.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiService, type Tenant } from '../api/support/api-service.js';
import type { ApiClient, Json } from '../api/support/api-client.js';
import { run } from '../standalone/support/atelier.js';
import { startLoad, type LoadResult } from './support/load.js';

let service: ApiService;
let api: ApiClient;
let tenants: Tenant[];

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
  tenants = await Promise.all([1, 2].map(() => service.openTenant({ credits: 100_000 })));
});
afterAll(() => service[Symbol.asyncDispose]());

async function projections(...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await run(
    'capabilities/operate/main.js',
    ['projections', ...args, '--json'],
    service.folder,
    {
      env: {
        DATABASE_URL: service.databaseUrl,
        URL_SIGNING_SECRET: 'x',
        ATELIER_SIGNING_KEY: testSigningKey,
      },
    },
  );
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('while requests go on', () => {
  it('read models are rebuilt, switched and taken back, and every caller sees what it wrote', async () => {
    const loads = tenants.map(({ key }) => startLoad(api, key));
    const reports: Json[] = [];
    let results: LoadResult[];
    try {
      reports.push(await projections('rebuild', '--all'));
      await projections('rollback', '--all', '--env', 'live');
      await projections('rebuild', 'jobs', 'usage', '--env', 'live', '--no-switch');
      reports.push(await projections('switch', 'jobs', 'usage', '--env', 'live'));
      await projections('compare', '--all', '--env', 'live');
    } finally {
      results = await Promise.all(loads.map((load) => load.stop()));
    }
    for (const { failures, dispatches } of results) {
      expect(failures).toEqual([]);
      expect(dispatches).toBeGreaterThan(20);
    }
    for (const { environments } of reports)
      for (const { projections: models, held_ms: heldMs } of environments) {
        expect((models as Json[]).filter(({ switched }) => !switched)).toEqual([]);
        expect(heldMs).toBeLessThan(5_000);
      }
  });
});
