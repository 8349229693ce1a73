import sharp from 'sharp';
import { expect } from 'vitest';
import { garmentCategories } from '#domain/garment/garment-categories.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import { presetKinds } from '#domain/preset/preset.events.js';
import { newId } from '#platform/ids.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { join } from 'node:path';
import { contextOf, type ApiService, type Tenant } from '../support/api-service.js';
import type { ApiClient } from '../support/api-client.js';
import { drawnPerson } from '../support/finish-job.js';
import { makePictures } from '../support/made-pictures.js';
import { publishPreset } from '../../support/operator.js';
import { exampleOf, openApi } from './body-schemas.js';

/** Things that a tenant's bodies can refer to. */
export interface Things {
  readonly uploadKey: string;
  readonly assetId: string;
  /** A job of the tenant's that has made a picture. */
  readonly renderId: string;
  /** The key of that picture. */
  readonly renderKey?: string;
  readonly productId: string;
  readonly categoryId: string;
  /** In the catalogue. */
  readonly entryId?: string;
  readonly erasureId?: string;
  /** One of each of {@link collections}, by its path. */
  readonly collected?: Readonly<Record<string, string>>;
  readonly presets: Readonly<Record<PresetKind, string>>;
}

/** Their bodies need a file, or name things of the tenant; or they need a bucket. */
const madeOtherwise = ['/v1/uploads', '/v1/products', '/v1/uploads/direct'];

/** The paths below which a POST of the examples in openapi.json makes a thing with an id: `/v1/webhooks`. */
export const collections = Object.entries(openApi.paths)
  .filter(([path, methods]) => 'post' in methods && !madeOtherwise.includes(path))
  .map(([path]) => path)
  .filter((path) => Object.keys(openApi.paths).some((each) => each.startsWith(`${path}/{public_id}`)));

/** Makes one thing of each of {@link collections}. @returns their ids by path */
async function makeCollected(api: ApiClient, { key }: Tenant): Promise<Record<string, string>> {
  const made = collections.map(async (path) => {
    const { status, body } = await api.post(path, key, exampleOf(path));
    expect([path, status]).toEqual([path, 201]);
    return [path, body.public_id as string] as const;
  });
  return Object.fromEntries(await Promise.all(made));
}

/** Rows that {@link makeThings} adds to the usage log: an upload, a dispatch and a product. */
export const callsOfThings = 3;

/** Makes one of each thing for the tenant. Costs the 5 credits of one job. */
export async function makeThings(service: ApiService, api: ApiClient, tenant: Tenant): Promise<Things> {
  const upload = await api.upload(tenant.key, await picture('png'));
  const { asset_id: assetId, upload_key: uploadKey } = upload.body as Record<
    'asset_id' | 'upload_key',
    string
  >;
  const portrait = { kind: 'model_portrait', meta: drawnPerson } as const;
  const { jobId: renderId, artifacts } = await makePictures(api, service, tenant, portrait);
  const product = { upload_asset_public_id: assetId, title: 'Skirt' };
  return {
    collected: await makeCollected(api, tenant),
    assetId,
    renderId,
    uploadKey,
    renderKey: artifacts[0]!.storageKey,
    productId: (await api.post('/v1/products', tenant.key, product)).body.public_id as string,
    categoryId: garmentCategories[0]?.publicId ?? '',
    presets: await publishPresets(service, tenant),
  };
}

export async function picture(format: 'png' | 'jpeg'): Promise<Buffer> {
  const image = sharp({ create: { width: 8, height: 8, channels: 3, background: '#a33' } });
  return image.toFormat(format).toBuffer();
}

/** One of each kind, with a preview that is there. */
export async function publishPresets(service: ApiService, tenant: Tenant): Promise<Things['presets']> {
  const storage = new FolderStorage({
    directory: join(service.folder, 'objects'),
    publicUrl: 'http://127.0.0.1',
    signingSecret: 'a secret of tests',
  });
  const entries = presetKinds.map(async (kind) => {
    const id = newId();
    const draft = { id, kind, label: kind, spec: { kind }, preview: await picture('jpeg') };
    await publishPreset(service.store, storage, contextOf(tenant.environment, 'installation'), draft);
    return [kind, id] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<PresetKind, string>;
}
