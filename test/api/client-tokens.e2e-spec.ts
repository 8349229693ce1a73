import { testSigningKey } from '../support/signing-key.js';
import { describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { newId } from '#platform/ids.js';
import { complaints, expectError, type Answer } from './support/api-client.js';
import { openWorld } from './support/world.js';

const origin = 'https://shop.example';

const { service, api, tenant } = await openWorld({
  configuration: { signingKey: testSigningKey, corsOrigins: [origin] },
});
const create = { width: 40, height: 20, channels: 3, background: '#c33' } as const;
const bytes = await sharp({ create }).png().toBuffer();

const make = (json: Record<string, unknown>, { key } = tenant) => api.post('/v1/client-tokens', key, json);
const tokenOf = async (json: Record<string, unknown>, owner = tenant) =>
  (await make(json, owner)).body.token as string;
const dispatch = async () => (await api.post('/v1/model-generator', tenant.key, {})).body.job_id as string;

describe('a client token', () => {
  it('is for one upload: sent again, it gets the first answer', async () => {
    const answer = await make({ purpose: 'upload', expires_in: 60 });
    expect(answer.status).toBe(201);
    expect(Date.parse(answer.body.expires_at as string) - Date.now()).toBeLessThanOrEqual(60_000);
    const token = answer.body.token as string;
    const first = await api.upload(token, bytes);
    expect(first.status).toBe(201);
    const again = await api.upload(token, bytes);
    expect(again.body).toMatchObject({ asset_id: first.body.asset_id, upload_key: first.body.upload_key });
    const used = { pdp_image_public_id: first.body.asset_id };
    expect((await api.post('/v1/pdp-extractions?dry_run=true', tenant.key, used)).status).toBe(200);
  });

  it('makes one picture of uploads that come at once', async () => {
    const token = await tokenOf({ purpose: 'upload' });
    const persistently = async (): Promise<Answer> => {
      const answer = await api.upload(token, bytes);
      return answer.status === 409 ? persistently() : answer;
    };
    const answers = await Promise.all(Array.from({ length: 8 }, persistently));
    expect(new Set(answers.map(({ body }) => body.asset_id as string)).size).toBe(1);
  });

  it('is for reading one job, and nothing else', async () => {
    const jobId = await dispatch();
    const token = await tokenOf({ purpose: 'job', job_id: jobId });
    expect((await api.get(`/v1/jobs/${jobId}`, token)).body).toMatchObject({ public_id: jobId });
    expect((await api.get(`/v1/jobs/${jobId}/events`, token)).status).toBe(200);
    const other = await dispatch();
    const refused = [
      await api.get(`/v1/jobs/${other}`, token),
      await api.get('/v1/jobs', token),
      await api.get('/v1/credits', token),
      await api.post(`/v1/jobs/${jobId}/cancel`, token, {}),
      await api.post('/v1/model-generator', token, {}),
      await api.upload(token, bytes),
      await make({ purpose: 'upload' }, { ...tenant, key: token }),
      await api.get(`/v1/jobs/${jobId}`, await tokenOf({ purpose: 'upload' })),
    ];
    for (const answer of refused) expectError(answer, 403, 'CAPABILITY_REQUIRED');
  });

  it('is made for what is there and the caller’s own', async () => {
    for (const json of [{ purpose: 'job' }, { purpose: 'upload', job_id: newId() }]) {
      const answer = await make(json);
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(complaints(answer)).toEqual(['body.job_id']);
    }
    const stranger = await service.openTenant();
    const job = { purpose: 'job', job_id: await dispatch() };
    expectError(await make(job, stranger), 404, 'RESOURCE_NOT_FOUND');
  });

  it('ends with its time, with its key, and when a letter of it is altered', async () => {
    const own = await service.issueKey(tenant, ['jobs:create', 'jobs:read']);
    const jobId = await dispatch();
    const token = await tokenOf({ purpose: 'job', job_id: jobId }, own);
    const path = `/v1/jobs/${jobId}`;
    expect((await api.get(path, token)).status).toBe(200);
    const [end = ''] = /\d{10}(?=_)/.exec(token.slice(60)) ?? [];
    for (const wrong of [
      token.replace(jobId, await dispatch()),
      token.replace(end, String(Number(end) + 1_000)),
      token.replace('ct_live', 'ct_test'),
      `${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}`,
    ]) {
      expect(wrong).not.toBe(token);
      expectError(await api.get(path, wrong), 401, 'UNAUTHENTICATED');
    }
    await service.revoke(own);
    while ((await api.get(path, token)).status === 200);
    expectError(await api.get(path, token), 401, 'UNAUTHENTICATED');
  });
});

describe('a page of another origin', () => {
  const preflight = (from: string) =>
    fetch(`${api.url}/v1/uploads`, {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });

  it('may call where the operator allows it', async () => {
    const answer = await preflight(origin);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization');
    const read = await api.call('GET', '/v1/credits', { key: tenant.key, headers: { origin } });
    expect(read.headers.get('access-control-allow-origin')).toBe(origin);
    expect(read.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
    expect(
      (await preflight('https://elsewhere.example')).headers.get('access-control-allow-origin'),
    ).toBeNull();
  });

  it('may not, by default', async () => {
    const closed = await service.openApi();
    const answer = await closed.call('GET', '/v1/credits', { key: tenant.key, headers: { origin } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});
