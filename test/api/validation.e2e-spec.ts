import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiService, type Tenant } from './support/api-service.js';
import { complaints, expectError, type ApiClient } from './support/api-client.js';
import { workflows } from '#workflows/workflows.js';

let service: ApiService;
let api: ApiClient;
let tenant: Tenant;

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
});
afterAll(() => service[Symbol.asyncDispose]());

beforeEach(async () => {
  tenant = await service.openTenant({ credits: 10_000 });
});

describe('a list', () => {
  it.each(['/v1/jobs', '/v1/usage', '/v1/transactions', '/v1/renders'])(
    '%s holds to its page bounds',
    async (path) => {
      for (const query of ['limit=1', 'limit=200', 'offset=0', 'offset=1000000', '']) {
        expect({ query, status: (await api.get(`${path}?${query}`, tenant.key)).status }).toEqual({
          query,
          status: 200,
        });
      }
      const bad = ['0', '201', '-1', '1.5', 'ten', '', '1e2', '0x10', ' 5', '99999999999999999999'];
      for (const limit of bad) {
        const answer = await api.get(`${path}?limit=${encodeURIComponent(limit)}`, tenant.key);
        expectError(answer, 422, 'VALIDATION_ERROR');
        expect(complaints(answer)).toEqual(['query.limit']);
      }
      for (const query of ['offset=-1', 'offset=1000001', 'offset=x', 'limit=1&limit=2', 'page=2']) {
        expectError(await api.get(`${path}?${query}`, tenant.key), 422, 'VALIDATION_ERROR');
      }
      const page = (await api.get(path, tenant.key)).body;
      expect(page).toMatchObject({ limit: 50, offset: 0 });
    },
  );

  it('of jobs is narrowed by type, status and time', async () => {
    await api.post('/v1/model-generator', tenant.key, {});
    const count = async (query: string) =>
      (await api.get(`/v1/jobs?${query}`, tenant.key)).body.count as number;
    expect(await count('job_type=MODEL_GENERATOR')).toBe(1);
    expect(await count('job_type=MODEL_GENERATOR&job_type=PDP_EXTRACTION')).toBe(1);
    expect(await count('job_type=PDP_EXTRACTION')).toBe(0);
    for (const { jobType } of workflows) {
      expect(await count(`job_type=${jobType}`)).toBe(jobType === 'MODEL_GENERATOR' ? 1 : 0);
    }
    expect(await count('status=NOT_STARTED')).toBe(1);
    expect(await count('status=SUCCESS')).toBe(0);
    expect(await count('created_after=2020-01-01T00:00:00Z')).toBe(1);
    expect(await count('created_after=2020-01-01T00:00:00+01:00')).toBe(1);
    expect(await count('created_after=2999-01-01T00:00:00.000Z')).toBe(0);
    for (const query of [
      'job_type=NONSENSE',
      'job_type=MODEL_GENERATOR&job_type=NONSENSE',
      'status=DONE',
      'status=SUCCESS&status=FAILURE',
      'created_after=yesterday',
      'created_after=2020-01-01',
      'created_after=2020-13-01T00:00:00Z',
      'created_after=2026-02-30T00:00:00Z',
      'created_after=2023-02-29T12:00:00%2B01:00',
      'created_after=2026-04-31T23:59:59Z',
      'created_after=%00',
    ]) {
      const answer = await api.get(`/v1/jobs?${query}`, tenant.key);
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(complaints(answer)).toEqual([`query.${query.split('=')[0]}`]);
    }
  });

  it('of events takes a cursor from 0 on', async () => {
    const { job_id: jobId } = (await api.post('/v1/model-generator', tenant.key, {})).body;
    for (const [since, status] of [
      ['0', 200],
      ['2147483647', 200],
      ['-1', 422],
      ['2147483648', 422],
      ['x', 422],
    ] as const) {
      const answer = await api.get(`/v1/jobs/${jobId}/events?since=${since}`, tenant.key);
      expect({ since, status: answer.status }).toEqual({ since, status });
    }
  });
});
