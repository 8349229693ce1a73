import { expect } from 'vitest';
import sharp from 'sharp';
import { garmentCategories } from '#domain/garment/garment-categories.js';
import { exampleBodies } from '../../../../test/api/bodies/declared-bodies.js';
import { publishPresets, type Things } from '../../../../test/api/bodies/things.js';
import type { Tenant } from '../../../../test/api/support/api-service.js';
import type { EndedJob, VendorHouse } from './vendor-house.js';

/** The photographs that bodies refer to. */
export interface Photographs {
  readonly person: Buffer;
  readonly garment: Buffer;
}

export async function tryOnOf(house: VendorHouse, tenant: Tenant, { person, garment }: Photographs) {
  const [wearer, item] = await Promise.all([person, garment].map((bytes) => house.upload(tenant, bytes)));
  const items = [{ trial_image: item?.asset_id, trial_item_category: 'top' }];
  return { user_image: wearer?.asset_id, items };
}

/** Workflows that a model makes for a tenant, and the model that draws the first picture for some of them. */
export interface Serving {
  readonly tenant: Tenant;
  readonly made: readonly string[];
  readonly maxInputs: number | undefined;
  readonly drawsFirst: string;
}

/** The first example of each workflow, with the tenant's own uploads and a picture that a model made. */
export async function servedBodies(
  house: VendorHouse,
  { tenant, made, maxInputs, drawsFirst }: Serving,
  photographs: Photographs,
): Promise<[workflow: string, body: object][]> {
  const tryOn = await tryOnOf(house, tenant, photographs);
  const needsRender = made.some((workflow) => workflow !== 'try-on');
  const [upload, render] = await Promise.all([
    house.upload(tenant, photographs.garment),
    needsRender ? house.run(tenant, 'model-generator', { image_model: drawsFirst }) : undefined,
  ]);
  const product = { upload_asset_public_id: upload.asset_id, title: 'Marea dress' };
  const things: Things = {
    assetId: upload.asset_id,
    uploadKey: upload.upload_key,
    renderId: render?.jobId ?? '',
    productId: (await house.answered(() => house.api.post('/v1/products', tenant.key, product))).body
      .public_id as string,
    categoryId: garmentCategories[0]?.publicId ?? '',
    presets: await publishPresets(house.service, tenant),
  };
  return made.map((workflow) => {
    const [example] = Object.values(exampleBodies(workflow, things));
    // Not every model honours these.
    const { seed: _seed, resolution: _resolution, ...body } = (example ?? {}) as Record<string, unknown>;
    // Its example is an outfit.
    if (workflow === 'try-on' && maxInputs === 2) Object.assign(body, tryOn);
    // One photograph is not grouped with anything.
    const photos = [upload.asset_id, tryOn.user_image].map((id) => ({ pdp_image_public_id: id }));
    if (workflow === 'pdp-batch-extractions') Object.assign(body, { photos, grouping: undefined });
    return [workflow, body];
  });
}

/** The recorded price of a job's calls. */
export async function paidFor(house: VendorHouse, jobId: string): Promise<number> {
  const answers = await house.find(jobId, 'EngineAnswered');
  return Math.round(answers.reduce((sum, answer) => sum + answer.price, 0) * 1000) / 1000;
}

/**
 * Expects that the job was accepted, drawn by that model, and delivered as pictures that say how they were
 * made.
 * @returns the pictures
 */
export async function expectDelivered(house: VendorHouse, model: string, job: EndedJob): Promise<Buffer[]> {
  expect(job.detail).toMatchObject({ status: 'SUCCESS', error: null });
  expect(job.events[0]?.event_type).toBe('queued');
  expect(job.events.at(-1)?.event_type).toBe('succeeded');
  const artifacts = job.detail.result?.artifacts ?? [];
  expect(artifacts.length).toBeGreaterThan(0);
  const pictures = await Promise.all(artifacts.map(({ image_url: url }) => house.download(url)));
  for (const [index, { meta }] of artifacts.entries()) {
    const { exif, xmp, format } = await sharp(pictures[index]).metadata();
    expect(['jpeg', 'png']).toContain(format);
    expect(exif).toBeUndefined();
    // A picture that is shown as it was has no maker, and neither has a text that was read from it.
    if (!meta['provenance']) {
      expect(xmp).toBeUndefined();
      continue;
    }
    expect(meta['provenance']).toMatchObject({ model });
    const mark = /digitalsourcetype\/(?:composite|trained)\w+/.exec(String(xmp))?.[0] ?? 'no mark';
    expect(mark).toMatch(/^digitalsourcetype/);
    const small = await house.download(artifacts[index]?.thumbnails['256'] ?? '');
    expect(String((await sharp(small).metadata()).xmp)).toContain(mark);
  }
  return pictures;
}

/** The jobs that called vendors: for a batch, its photographs. */
export function askingJobs({ jobId, detail }: EndedJob): string[] {
  const children = (detail['children'] ?? []) as { public_id: string }[];
  return children.length > 0 ? children.map(({ public_id: id }) => id) : [jobId];
}
