import { afterAll, describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRole } from '../support/role-process.js';
import { ApiService, contextOf, type Tenant } from './support/api-service.js';
import { ApiClient, expectError } from './support/api-client.js';
import { rotateKey } from '../support/operator.js';
import { untilEnd } from '../support/until-end.js';

const service = untilEnd(await ApiService.start());
const start = () => startRole('apps/api/src/main.js', service.roleSettings);
const roles = [await start(), await start()] as const;
afterAll(() => Promise.all(roles.map((role) => role.stop())));
const apis = roles.map(({ ready }) => new ApiClient(`http://127.0.0.1:${String(ready['port'])}`));

const statuses = ({ key }: Pick<Tenant, 'key'>) =>
  Promise.all(apis.map(async (api) => (await api.get('/v1/credits', key)).status));

async function rotate({ id, keyId }: Tenant, overlapMs: number) {
  const rotated = await rotateKey(service.store, contextOf('live', id), keyId, overlapMs);
  if (rotated.kind === 'rejected') throw new Error(rotated.rejection.code);
  return rotated;
}

/** A second on a quiet machine. */
const soonMs = 30_000;

/** Waits until both processes, which know the key, refuse it. @returns milliseconds */
async function refusedEverywhere(tenant: Tenant): Promise<number> {
  const startedAt = performance.now();
  while ((await statuses(tenant)).some((status) => status !== 401)) {
    expect(performance.now() - startedAt).toBeLessThan(soonMs);
    await sleep(10);
  }
  return performance.now() - startedAt;
}

describe('with two API processes', () => {
  it('a revoked key is refused by both soon', async () => {
    const tenant = await service.openTenant();
    expect(await statuses(tenant)).toEqual([200, 200]);
    await service.revoke(tenant);
    expect(await refusedEverywhere(tenant)).toBeLessThan(soonMs);
  });

  it('a rotated key and its successor both work until the overlap is over, to the second', async () => {
    const tenant = await service.openTenant();
    expect(await statuses(tenant)).toEqual([200, 200]);
    const { successor, retiresAt } = await rotate(tenant, 4_000);
    expect(await statuses(successor)).toEqual([200, 200]);
    while (Date.now() < retiresAt.getTime() - 2_500) {
      expect(await statuses(tenant)).toEqual([200, 200]);
      await sleep(100);
    }
    await sleep(Math.max(0, retiresAt.getTime() - Date.now()));
    expect(await statuses(tenant)).toEqual([401, 401]);
    expect(await statuses(successor)).toEqual([200, 200]);
    const [api] = apis as [ApiClient];
    const other = await api.get('/v1/credits', 'nonsense');
    const retired = await api.get('/v1/credits', tenant.key);
    expectError(retired, 401, 'UNAUTHENTICATED');
    expect(retired.body.error.message).toBe(other.body.error.message);
  });

  it('the successor may do the same, for the same tenant, and pays from the same balance', async () => {
    const tenant = await service.openTenant({ capabilities: ['jobs:create'], credits: 20 });
    const { successor } = await rotate(tenant, 60_000);
    const [api] = apis as [ApiClient];
    expect((await api.post('/v1/model-generator', successor.key, {})).status).toBe(202);
    expectError(await api.get('/v1/jobs', successor.key), 403, 'CAPABILITY_REQUIRED');
    expect((await api.get('/v1/credits', tenant.key)).body).toMatchObject({
      client_id: tenant.id,
      balance: 15,
    });
  });
});
