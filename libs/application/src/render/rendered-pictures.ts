import { evolveAsset, initialAsset, storeAsset, type Asset, type StoredAsset } from '#domain/asset/asset.js';
import type { AssetEvent } from '#domain/asset/asset.events.js';
import type { JobArtifact } from '#domain/job/job.events.js';
import { streamName } from '#domain/streams.js';
import type { EnginePicture } from '@atelier/engine';
import type { EventStore } from '#event-store/event-store.js';
import type { ObjectStorage } from '#storage/object-storage.js';
import { handle, untouched, type Aggregate } from '../aggregate.js';
import { renderedAssetId } from './asset-id.js';
import type { JobAttempt } from './job-attempt.js';
import { sha256Of } from './render-inputs.js';

const extensions: Record<EnginePicture['contentType'], string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
};

const assetAggregate: Aggregate<Asset, AssetEvent> = { initial: initialAsset, evolve: evolveAsset };

/**
 * Keeps the pictures of one attempt: the bytes first, then the AssetStored event, so that no event ever names bytes
 * that are not there. A crash in between leaves an object that nothing refers to.
 */
export class RenderedPictures {
  private count = 0;

  constructor(
    private readonly store: EventStore,
    private readonly storage: ObjectStorage,
    private readonly attempt: JobAttempt,
  ) {}

  async keep(pictures: readonly EnginePicture[], role: JobArtifact['role']): Promise<JobArtifact[]> {
    const artifacts: JobArtifact[] = [];
    for (const picture of pictures) artifacts.push(await this.keepOne(picture, role));
    return artifacts;
  }

  private async keepOne(picture: EnginePicture, role: JobArtifact['role']): Promise<JobArtifact> {
    const { environment, job, number, startedAt } = this.attempt;
    const assetId = renderedAssetId(job.jobId, number, this.count++, startedAt);
    const { bytes, contentType, width, height, kind, label } = picture;
    const folder = `${environment}/${job.tenant}/renders/${job.jobId}`;
    const storageKey = `${folder}/${assetId}.${extensions[contentType]}`;
    const sha256 = sha256Of(bytes);
    await this.storage.put(storageKey, bytes, contentType);

    const context = this.attempt.context(`asset-${assetId}`);
    const asset: StoredAsset = {
      ...{ assetId, tenant: job.tenant, storageKey, contentType, width, height, sha256 },
      ...{ sizeBytes: bytes.length, origin: 'render', jobId: job.jobId, at: context.at.toISOString() },
    };
    await handle(
      this.store,
      streamName(environment, 'asset', assetId),
      assetAggregate,
      (state) => storeAsset(asset, state),
      context,
      untouched(assetAggregate),
    );
    const meta = { ...picture.meta };
    return { assetId, storageKey, contentType, width, height, sha256, kind, role, label, meta };
  }
}
