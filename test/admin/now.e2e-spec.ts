import { testSigningKey } from '../support/signing-key.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiService, type Tenant } from '../api/support/api-service.js';
import type { ApiClient, Json } from '../api/support/api-client.js';
import { runCommand } from '../support/command.js';
import { eventually } from '../support/eventually.js';
import { AdminService } from './support.js';

let service: ApiService;
let api: ApiClient;
let admin: AdminService;
let tenant: Tenant;
let token: string;

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
  admin = await AdminService.start(service.databaseUrl);
  token = await admin.token('ada', 'admin');
  tenant = await service.openTenant({ credits: 100, environment: 'live' });
});
afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

const now = async (): Promise<Json> => (await admin.ask('GET /now', token)).body;
const inLive = (levels: Json[]) => levels.find(({ env }) => env === 'live');

async function dispatch(): Promise<string> {
  const order = { gender: 'FEMALE', ethnicity: 'east_african', body_type: 'athletic', age_range: '26-30' };
  const { status, body } = await api.post('/v1/model-generator', tenant.key, order);
  expect(status).toBe(202);
  return body.job_id;
}

describe('now', () => {
  it('tells who waits, and how the jobs of the last hour ended', async () => {
    const waiting = await dispatch();
    const cancelled = await dispatch();
    await admin.ask('POST /jobs/cancel', token, { jobs: [cancelled], confirm: true });
    const seen = await eventually(async () => {
      const found = await now();
      return inLive(found.last_hour).ended === 1 && found.oldest_jobs.length === 1 && found;
    });
    expect(seen.oldest_jobs).toMatchObject([{ env: 'live', job_id: waiting, tenant_id: tenant.id }]);
    expect(seen.unfinished).toMatchObject([{ env: 'live', tenant_id: tenant.id, waiting: 1, rendering: 0 }]);
    expect(inLive(seen.last_hour)).toMatchObject({
      ended: 1,
      success_rate: 0,
      policy_rate: 0,
      transient_rate: 0,
      refund_rate: 1,
      errors: [{ error_code: 'CANCELLED', jobs: 1 }],
    });
    expect(inLive(seen.last_day)).toMatchObject({ credits_taken: expect.any(Number), price: 0 });
    expect(seen.last_audit).toBeNull();
  });

  it('remembers the last audit, whoever made it and when', async () => {
    const { body } = await admin.ask('POST /audits', token, {});
    await eventually(async () => (await admin.ask(`GET /runs/${body.run_id}`, token)).body.state === 'done');
    const seen = await eventually(async () => {
      const found = await now();
      return found.last_audit !== null && found;
    });
    expect(seen.last_audit).toMatchObject({ by: 'ada', outcome: 'done', holds: true });
  });

  it('is the verb’s as well', async () => {
    const env = {
      DATABASE_URL: service.databaseUrl,
      URL_SIGNING_SECRET: 'x',
      ATELIER_SIGNING_KEY: testSigningKey,
    };
    const { code, stdout, stderr } = await runCommand(['now'], service.folder, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('last audit: ');
  });
});

describe('a stream', () => {
  it('tells what is so, and what becomes of it', async () => {
    const stream = admin.follow('/now/events', token);
    const first = (await stream.next()).value;
    const before = first.unfinished[0]?.waiting ?? 0;
    await dispatch();
    for await (const later of stream) if (later.unfinished[0]?.waiting === before + 1) break;
  });

  it('of a run ends with it, and tells what came of it', async () => {
    const { body } = await admin.ask('POST /projections/compare', token, { all: true });
    const states: string[] = [];
    let last: Json;
    for await (const view of admin.follow(`/runs/${body.run_id}/events`, token))
      states.push((last = view).state);
    expect(states.at(-1)).toBe('done');
    expect(last.result).toMatchObject({ ok: true });
  });

  it('ends when the token of who follows is revoked', async () => {
    const leaving = await admin.token('leaver', 'read');
    const stream = admin.follow('/now/events', leaving);
    await stream.next();
    await admin.ask('POST /operators/leaver/revoke', token, {});
    await expect(
      (async () => {
        for await (const _ of stream);
      })(),
    ).rejects.toThrow();
    await expect(admin.follow('/now/events', leaving).next()).rejects.toThrow('401');
  });
});
