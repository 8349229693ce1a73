import sharp from 'sharp';
import { toNewEvent } from '#application/command-context.js';
import { garmentCategories } from '#domain/garment/garment-categories.js';
import type { PresetKind } from '#domain/preset/preset.events.js';
import { presetKinds } from '#domain/preset/preset.events.js';
import { streamName } from '#domain/streams.js';
import { newId } from '#platform/ids.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import { join } from 'node:path';
import { contextOf, type ApiService, type Tenant } from '../support/api-service.js';
import type { ApiClient } from '../support/api-client.js';
import { finishJob, startJob } from '../support/finish-job.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import { publishPreset } from '../../support/operator.js';

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
  readonly webhookId?: string;
  /** In the catalogue. */
  readonly entryId?: string;
  readonly presets: Readonly<Record<PresetKind, string>>;
}

/** Rows that {@link makeThings} adds to the usage log: an upload and a dispatch. */
export const callsOfThings = 2;

/** Makes one of each thing for the tenant. Costs the 5 credits of one job. */
export async function makeThings(service: ApiService, api: ApiClient, tenant: Tenant): Promise<Things> {
  const upload = await api.upload(tenant.key, await picture('png'));
  const assetId = upload.body.asset_id as string;
  const dispatched = await api.post('/v1/model-generator', tenant.key, {});
  const renderId = dispatched.body.job_id as string;
  await startJob(service, tenant, renderId);
  const made = await finishJob(service, tenant, renderId);
  await keepPicture(service, tenant, renderId, made);
  const hook = { url: 'https://shop.example/hook', events: ['job.succeeded'] };
  return {
    webhookId: (await api.post('/v1/webhooks', tenant.key, hook)).body.public_id as string,
    assetId,
    renderId,
    uploadKey: upload.body.upload_key as string,
    renderKey: made.storageKey,
    productId: await registerProduct(service, tenant, assetId, upload.body.upload_key as string),
    categoryId: garmentCategories[0]?.publicId ?? '',
    presets: await publishPresets(service, tenant),
  };
}

/** Records the picture as a worker does beside the job, so that its key can name the picture. */
async function keepPicture(
  service: ApiService,
  { environment, id: tenant }: Tenant,
  jobId: string,
  { assetId, storageKey, contentType, width, height, sha256 }: JobArtifact,
): Promise<void> {
  const facts = { assetId, tenant, storageKey, contentType, width, height, sha256 };
  const data = { ...facts, sizeBytes: 1, origin: 'render' as const, jobId, at: new Date().toISOString() };
  const event = toNewEvent({ type: 'AssetStored', data }, 0, contextOf(environment, tenant));
  await service.store.append(streamName(environment, 'asset', assetId), 'no-stream', [event]);
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

async function registerProduct(
  service: ApiService,
  { environment, id: tenant }: Tenant,
  assetId: string,
  storageKey: string,
): Promise<string> {
  const productId = newId();
  const facts = { title: 'Skirt', externalRef: null, description: null, garmentCategoryId: null };
  const images = [{ assetId, storageKey, sha256: '0'.repeat(64), role: 'primary' as const }];
  const at = new Date().toISOString();
  const data = { productId, tenant, ...facts, images, at };
  const event = toNewEvent({ type: 'ProductRegistered', data }, 0, contextOf(environment, tenant));
  await service.store.append(streamName(environment, 'product', productId), 'no-stream', [event]);
  return productId;
}
