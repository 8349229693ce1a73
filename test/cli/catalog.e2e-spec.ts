import { testSigningKey } from '../support/signing-key.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#platform/ids.js';
import { expectError, type ApiClient, type Json } from '../api/support/api-client.js';
import { ApiService, type Tenant } from '../api/support/api-service.js';
import { inputsOf, makePictures, uploadPicture } from '../api/support/made-pictures.js';
import { runCommand } from '../support/command.js';
import { eventually } from '../support/eventually.js';

let service: ApiService;
let api: ApiClient;
let tenant: Tenant;

beforeAll(async () => {
  service = await ApiService.start();
  api = await service.openApi();
  tenant = await service.openTenant({ credits: 500 });
});
afterAll(() => service[Symbol.asyncDispose]());

function atelier(verb: string, ...args: string[]) {
  const env = {
    DATABASE_URL: service.databaseUrl,
    URL_SIGNING_SECRET: 'x',
    ATELIER_SIGNING_KEY: testSigningKey,
  };
  const place = ['--tenant', tenant.id, '--env', 'live'];
  return runCommand(['catalog', verb, ...args, ...place], service.folder, { env });
}

async function json(verb: string, ...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await atelier(verb, ...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const listed = async () =>
  (await api.get('/v1/catalog/models', tenant.key)).body.items.map((item: Json) => item.public_id);
const swap = async (entry: string) =>
  api.post('/v1/background-swap-with-image', tenant.key, {
    source_image_s3_key: (await uploadPicture(api, tenant)).uploadKey,
    background_image_public_id: entry,
  });

describe('atelier catalog', () => {
  it('retire: an entry is listed no more and refused in new dispatches, and old jobs still show it', async () => {
    const { jobId, artifacts } = await makePictures(api, service, tenant, { kind: 'model_portrait' });
    const entry = artifacts[0]!.assetId;
    // The process remembers the picture from here on.
    const before = await swap(entry);
    expect(before.status).toBe(202);
    await eventually(async () => expect(await listed()).toEqual([entry]));

    expect(await json('retire', entry, '--reason', 'dated')).toMatchObject({ id: entry });
    expect(await listed()).toEqual([]);
    // Other processes need a moment to see the change.
    await eventually(async () => expectError(await swap(entry), 410, 'CATALOG_ENTRY_RETIRED'));
    // The entry is also refused under the id of its job, and in place of a preset.
    expectError(await swap(jobId), 410, 'CATALOG_ENTRY_RETIRED');
    const shot = {
      product_title: 'Tee',
      model_preset_id: entry,
      garment_image_asset_refs: [(await uploadPicture(api, tenant)).assetId],
    };
    const presets = { background_preset_id: newId(), shot_preset_id: newId() };
    const refused = await api.post('/v1/catalog-shots', tenant.key, { ...shot, ...presets });
    expectError(refused, 410, 'CATALOG_ENTRY_RETIRED');
    expect(refused.body.error.message).toContain('Nothing was charged');

    const { items } = (await api.get('/v1/usage', tenant.key)).body;
    expect(items.find((row: Json) => row.http_status === 410)).toMatchObject({
      status: 'FAILED',
      error_code: 'CATALOG_ENTRY_RETIRED',
      credits_charged: 0,
    });
    expect(await inputsOf(service, tenant, before.body.job_id as string)).toHaveLength(2);
    const { result } = (await api.get(`/v1/jobs/${jobId}`, tenant.key)).body;
    expect((await fetch(result.artifacts[0].image_url as string)).status).toBe(200);
    expect((await json('list')).entries).toMatchObject([{ id: entry, status: 'retired' }]);
    // Again: nothing changes.
    await json('retire', entry);
  });

  it('retire: complains of what is no entry of the tenant', async () => {
    const { artifacts } = await makePictures(api, service, tenant, { kind: 'on_model_render' });
    const other = await service.openTenant({ credits: 10 });
    const foreign = await makePictures(api, service, other, { kind: 'background' });
    const { assetId: upload } = await uploadPicture(api, tenant);
    for (const id of [newId(), upload, artifacts[0]!.assetId, foreign.artifacts[0]!.assetId]) {
      const { code, stderr } = await atelier('retire', id);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `atelier: ${tenant.id} has no catalogue entry ${id} in live: "atelier catalog list" shows those that there are\n`,
      });
    }
  });
});
