import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiService, type Tenant } from './support/api-service.js';
import { complaints, expectError, type ApiClient } from './support/api-client.js';

let service: ApiService;
let api: ApiClient;
let tenant: Tenant;
let uploadKey: string;
let assetId: string;

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
});
afterAll(() => service[Symbol.asyncDispose]());

beforeEach(async () => {
  tenant = await service.openTenant({ credits: 10_000 });
});

const id = '01K9Z7J0V4M2Q8T6R3N5B1C7DE';
const kibibytes8 = { filling: 'x'.repeat(8 * 1024 - '{"filling":""}'.length) };

/** field, values that pass, values that do not */
const commonFields = [
  ['image_model', ['sketch-1', null], ['sketch-2', '', 1, ['sketch-1']]],
  ['eval_enabled', [true, false, null], ['true', 1, {}]],
  ['resolution', ['1K', '2K', '4K', null], ['8K', '1k', 1]],
  [
    'aspect_ratio',
    ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', null],
    ['1:2', '1/1', 1],
  ],
  ['seed', [0, 2 ** 31 - 1, null], [-1, 2 ** 31, 0.5, '7', true, 1e300]],
  ['on_technical_failure', ['refund', 'retry', null], ['ignore', true]],
  ['display_name', ['', 'x'.repeat(128), '🧵'.repeat(128), null], ['x'.repeat(129), 7, ['x']]],
  ['metadata', [{}, { a: { b: [1, 'x', null] } }, kibibytes8, null], [{ ...kibibytes8, x: 1 }, [], 'x', 7]],
  ['pilot_brand', ['', 'x'.repeat(128), null], ['x'.repeat(129), {}]],
] as const;

const castingFields = [
  ['generation_stage', ['portrait', null], ['half_body', 7]],
  ['gender', ['MALE', 'FEMALE', null], ['male', 'OTHER', 0]],
  ['ethnicity', ['indian', 'mixed_heritage', null], ['martian', 'Indian', []]],
  ['heritage', [null], ['nordic', 7]],
  ['body_type', ['slim', 'athletic', 'balanced', 'fuller', null], ['thin', 7]],
  ['age_range', ['18-22', '22-26', '26-30', '30-34', '34-40', null], ['17-21', 18]],
  ['model_spec_public_id', [null], [id.slice(1), `${id}0`, id.toLowerCase(), 'x'.repeat(26), '', 7]],
  ['portrait_image_public_id', [null], [id.slice(1), `${id}0`, `8${id.slice(1)}`, 7]],
] as const;

const compositionFields = [
  ['model_image_public_id', [null], [id.slice(1), `${id}0`, 'not-a-ulid-but-26-letters!!', 7]],
  ['background_image_public_id', [null], [id.slice(1), `${id}0`, 7]],
  ['output_preset', ['square', 'portrait', 'story', 'landscape', null], ['round', 7]],
] as const;

describe('POST /v1/model-generator', () => {
  it.each([...commonFields, ...castingFields])('holds %s to its bounds', async (field, good, bad) => {
    for (const value of good) {
      const answer = await api.post('/v1/model-generator', tenant.key, { [field]: value });
      expect({ value, status: answer.status }).toEqual({ value, status: 202 });
    }
    const { balance } = (await api.get('/v1/credits', tenant.key)).body;
    for (const value of bad) {
      const answer = await api.post('/v1/model-generator', tenant.key, { [field]: value });
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect({ value, loc: complaints(answer) }).toEqual({ value, loc: [`body.${field}`] });
    }
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(balance);
  });

  it('takes heritage with ethnicity indian only', async () => {
    const good = { ethnicity: 'indian', heritage: 'south_indian' };
    expect((await api.post('/v1/model-generator', tenant.key, good)).status).toBe(202);
    for (const body of [{ heritage: 'south_indian' }, { ...good, ethnicity: 'east_asian' }]) {
      const answer = await api.post('/v1/model-generator', tenant.key, body);
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(complaints(answer)).toEqual(['body.heritage']);
    }
  });

  it('carries a portrait into a full body, and then casts nobody', async () => {
    const full = { generation_stage: 'full_body' };
    expect(complaints(await api.post('/v1/model-generator', tenant.key, full))).toEqual([
      'body.portrait_image_public_id',
    ]);
    const portrait = (await upload()).assetId;
    const good = { ...full, portrait_image_public_id: portrait };
    expect((await api.post('/v1/model-generator', tenant.key, good)).status).toBe(202);
    for (const [field, value] of [
      ['gender', 'MALE'],
      ['ethnicity', 'indian'],
      ['heritage', 'south_indian'],
      ['body_type', 'slim'],
      ['age_range', '18-22'],
    ] as const) {
      const answer = await api.post('/v1/model-generator', tenant.key, { ...good, [field]: value });
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(complaints(answer)).toEqual([`body.${field}`]);
    }
  });

  it.each(['model_spec_public_id', 'portrait_image_public_id'])(
    'answers 404 when %s is not yours',
    async (field) => {
      const body = { generation_stage: 'full_body', [field]: id };
      expectError(await api.post('/v1/model-generator', tenant.key, body), 404, 'RESOURCE_NOT_FOUND');
      const { balance } = (await api.get('/v1/credits', tenant.key)).body;
      expect(balance).toBe(10_000);
    },
  );
});

describe('POST /v1/product-to-model-direct', () => {
  beforeEach(async () => {
    ({ uploadKey, assetId } = await upload());
  });

  it.each([...commonFields, ...compositionFields])('holds %s to its bounds', async (field, good, bad) => {
    const post = (value: unknown) =>
      api.post('/v1/product-to-model-direct', tenant.key, {
        product_image_s3_key: uploadKey,
        [field]: value,
      });
    for (const value of good) {
      expect({ value, status: (await post(value)).status }).toEqual({ value, status: 202 });
    }
    for (const value of bad) {
      const answer = await post(value);
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect({ value, loc: complaints(answer) }).toEqual({ value, loc: [`body.${field}`] });
    }
  });

  it('works with every picture that the caller owns', async () => {
    const body = {
      product_image_s3_key: uploadKey,
      model_image_public_id: assetId,
      background_image_public_id: assetId,
    };
    const answer = await api.post('/v1/product-to-model-direct', tenant.key, body);
    expect(answer).toMatchObject({ status: 202, body: { credits_cost: 10 } });
  });

  it('takes exactly one garment', async () => {
    for (const body of [{}, { product_image_s3_key: uploadKey, product_id: id }]) {
      const answer = await api.post('/v1/product-to-model-direct', tenant.key, body);
      expectError(answer, 422, 'VALIDATION_ERROR');
      expect(complaints(answer)).toEqual(['body.product_image_s3_key']);
    }
  });

  it('answers 404 to pictures and products that are not the caller’s, and charges nothing', async () => {
    const other = await service.openTenant();
    const theirs = await upload(other);
    const base = { product_image_s3_key: uploadKey };
    const bodies = [
      { product_id: id },
      { product_image_s3_key: theirs.uploadKey },
      { product_image_s3_key: uploadKey.replace(/\.png$/, '.jpg') },
      { product_image_s3_key: 'https://example.org/picture.png' },
      { product_image_s3_key: '../../etc/passwd' },
      { ...base, model_image_public_id: theirs.assetId },
      { ...base, background_image_public_id: theirs.assetId },
      { ...base, model_image_public_id: id },
    ];
    const words = new Set<string>();
    for (const body of bodies) {
      const answer = await api.post('/v1/product-to-model-direct', tenant.key, body);
      expectError(answer, 404, 'RESOURCE_NOT_FOUND');
      if ('model_image_public_id' in body) words.add(answer.body.error.message as string);
    }
    expect(words.size).toBe(1);
    expect((await api.get('/v1/credits', tenant.key)).body.balance).toBe(10_000);
  });
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

async function upload(owner: Tenant = tenant): Promise<{ uploadKey: string; assetId: string }> {
  const { body, status } = await api.upload(owner.key, await picture());
  expect(status).toBe(201);
  return { uploadKey: body.upload_key as string, assetId: body.asset_id as string };
}

async function picture(): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  return sharp({ create: { width: 8, height: 8, channels: 3, background: '#a33' } })
    .png()
    .toBuffer();
}
