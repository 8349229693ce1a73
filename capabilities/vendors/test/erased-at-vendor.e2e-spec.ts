import { join } from 'node:path';
import { expect, it } from 'vitest';
import { untilEnd } from '../../../test/support/until-end.js';
import { eventually } from '../../../test/support/eventually.js';
import { FalDouble, family } from './families/fal.js';
import { OpenAiDouble } from './families/openai.js';
import { photo, vendorModelOf, VendorHouse } from './support/vendor-house.js';

const fal = new FalDouble();
const openai = new OpenAiDouble();
untilEnd({ [Symbol.asyncDispose]: async () => void (await Promise.all([fal.close(), openai.close()])) });
const endpoint = await fal.open();
const options = { ...family.model.options, platform: `${endpoint}/platform` };
const house = untilEnd(await VendorHouse.open());
const workflows = ['try-on'];
await house.startRoles(
  {
    models: [
      vendorModelOf('fal', 'fal', endpoint, { ...family.model, workflows, options }),
      vendorModelOf('gpt', 'openai', await openai.open(), { model: 'gpt-image', workflows }),
    ],
  },
  {
    storage: {
      kind: 'folder',
      directory: join(house.service.folder, 'objects'),
      signingSecret: 'a secret of tests',
    },
  },
);
const tenant = await house.service.openTenant({
  credits: 1_000,
  environment: 'test',
  capabilities: ['jobs:create', 'jobs:read', 'data:erase'],
});
const user_image = (await house.upload(tenant, await photo('#345'))).asset_id;
const trial_image = (await house.upload(tenant, await photo('#c63'))).asset_id;

async function drawnWith(model: string): Promise<string> {
  const items = [{ trial_image, trial_item_category: 'top' }];
  const order = { user_image, items, image_model: model, aspect_ratio: '2:3' };
  const { jobId, detail } = await house.run(tenant, 'try-on', order);
  expect(detail.status).toBe('SUCCESS');
  return jobId;
}

/** @returns what is known once the erasure is completed, and vendors have answered if one was asked */
async function erased(jobId: string) {
  const { body } = await house.api.call('DELETE', `/v1/jobs/${jobId}`, { key: tenant.key });
  const { erasure_id: id } = body;
  const erasure = await eventually(async () => {
    const { body: shown } = await house.api.get(`/v1/erasures/${id}`, tenant.key);
    const told = (shown.steps as { step: string }[]).some(({ step }) => step === 'vendors');
    return shown.status === 'completed' && (!told || shown.vendors !== undefined) && shown;
  });
  const { body: receipt } = await house.api.get(`/v1/erasures/${id}/receipt`, tenant.key);
  const remains = (receipt.remains as { where: string }[]).map(({ where }) => where);
  return { erasure, remains };
}

it('has a vendor that deletes forget the calls of an erased job, and asks again until it answers', async () => {
  const jobId = await drawnWith('fal');
  fal.says(/payloads$/, 503, {});
  const { erasure, remains } = await erased(jobId);
  expect(erasure.vendors).toMatchObject({ deleted: 1, refused: 0 });
  expect(fal.deleted).toEqual(['req-1']);
  expect(remains).toContain('the vendor of fal, which got 1 call, and is asked to delete 1');
});

it('says that a vendor has refused', async () => {
  const jobId = await drawnWith('fal');
  fal.says(/payloads$/, 403, {});
  expect((await erased(jobId)).erasure.vendors).toMatchObject({ deleted: 0, refused: 1 });
});

it('names a vendor that deletes nothing, and completes without it', async () => {
  const { erasure, remains } = await erased(await drawnWith('gpt'));
  expect(erasure.vendors).toBeUndefined();
  expect(remains).toContain('the vendor of openai, which got 1 call: see its terms');
});
