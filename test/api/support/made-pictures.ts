import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect } from 'vitest';
import sharp from 'sharp';
import type { ArtifactKind, PictureMeta } from '@atelier/engine';
import { handle, load } from '#application/aggregate.js';
import { jobAggregate } from '#application/job/job-writes.handler.js';
import { evolveAsset, initialAsset, storeAsset } from '#domain/asset/asset.js';
import type { JobArtifact, JobInputImage } from '#domain/job/job.events.js';
import { startRender, succeedJob } from '#domain/job/render-job.js';
import { streamName } from '#domain/streams.js';
import { newId } from '#platform/ids.js';
import { FolderStorage } from '#storage/folder/folder-storage.js';
import type { ApiClient } from './api-client.js';
import { contextOf, type ApiService, type Tenant } from './api-service.js';
import { decideFor } from './finish-job.js';

const assets = { initial: initialAsset, evolve: evolveAsset };
const at = () => new Date().toISOString();

/** A small picture, each of another colour. */
export async function aPicture(): Promise<Buffer> {
  const background = { r: channel(), g: channel(), b: channel() };
  return sharp({ create: { width: 12, height: 16, channels: 3, background } })
    .png()
    .toBuffer();
}

/** A picture with a chunk in which C2PA keeps a manifest store. The store has so many bytes, and says nothing. */
export async function aPictureWithStore(sizeBytes: number): Promise<Buffer> {
  const bytes = await aPicture();
  const chunk = Buffer.concat([Buffer.from('caBX'), Buffer.alloc(sizeBytes)]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(sizeBytes);
  checksum.writeUInt32BE(crc32(chunk));
  const headerEnd = 33;
  return Buffer.concat([bytes.subarray(0, headerEnd), length, chunk, checksum, bytes.subarray(headerEnd)]);
}

const channel = () => Math.floor(Math.random() * 256);

export interface Uploaded {
  readonly assetId: string;
  readonly uploadKey: string;
}

export async function uploadPicture(api: ApiClient, { key }: Tenant): Promise<Uploaded> {
  const { status, body } = await api.upload(key, await aPicture());
  expect(status).toBe(201);
  return { assetId: body.asset_id as string, uploadKey: body.upload_key as string };
}

export type MadeKind = { readonly kind: ArtifactKind; readonly meta?: PictureMeta } & Partial<
  Pick<JobArtifact, 'role' | 'label'>
>;

/**
 * Does the same as a worker with a queued job: starts it, keeps a picture of each kind, and succeeds with them.
 */
export async function succeedWith(
  service: ApiService,
  tenant: Tenant,
  jobId: string,
  kinds: readonly MadeKind[],
): Promise<JobArtifact[]> {
  const artifacts: JobArtifact[] = [];
  for (const kind of kinds) artifacts.push(await keep(service, tenant, jobId, kind));
  await decideFor(service, tenant, jobId, (job) => startRender({ worker: 'w', at: at() }, job));
  const rendered = { engine: 'sketch', model: 'sketch-1', seed: 1, attempt: 1, renderMs: 5, inputHashes: [] };
  const success = { message: 'Done', artifacts, provenance: rendered, at: at() };
  await decideFor(service, tenant, jobId, (job) => succeedJob(success, job));
  return artifacts;
}

async function keep(
  service: ApiService,
  { environment, id }: Tenant,
  jobId: string,
  { kind, meta = {}, role = 'final', label = kind }: MadeKind,
): Promise<JobArtifact> {
  const assetId = newId();
  const storageKey = `${environment}/${id}/renders/${jobId}/${assetId}.png`;
  const bytes = await aPicture();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const facts = { contentType: 'image/png', width: 12, height: 16, sha256 };
  await storageOf(service).put(storageKey, bytes);
  const asset = { ...facts, assetId, storageKey, tenant: id, sizeBytes: bytes.length, jobId, at: at() };
  await handle(
    service.store,
    streamName(environment, 'asset', assetId),
    assets,
    (state) => storeAsset({ ...asset, origin: 'render', role }, state),
    contextOf(environment, id),
  );
  return { ...facts, assetId, storageKey, kind, role, label, meta: { ...meta } };
}

/** Dispatches a job and lets it succeed with these pictures. */
export async function makePictures(
  api: ApiClient,
  service: ApiService,
  tenant: Tenant,
  ...kinds: MadeKind[]
): Promise<{ jobId: string; artifacts: JobArtifact[] }> {
  const { status, body } = await api.post('/v1/model-generator', tenant.key, {});
  expect(status).toBe(202);
  const jobId = body.job_id as string;
  return { jobId, artifacts: await succeedWith(service, tenant, jobId, kinds) };
}

/** The pictures that a job was queued with. */
export async function inputsOf(
  service: ApiService,
  { environment }: Tenant,
  jobId: string,
): Promise<JobInputImage[]> {
  const { state } = await load(service.store, streamName(environment, 'job', jobId), jobAggregate);
  if (!('job' in state)) throw new Error(`${jobId} is not queued`);
  return state.job.inputs;
}

/** The folder that the service's APIs serve. */
export function storageOf({ folder }: ApiService): FolderStorage {
  const directory = join(folder, 'objects');
  return new FolderStorage({
    directory,
    signingSecret: 'a secret of tests',
    publicUrl: 'http://127.0.0.1',
  });
}
