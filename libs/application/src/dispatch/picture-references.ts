import { LRUCache } from 'lru-cache';
import { evolve as evolveAsset, initialAsset, type Asset, type StoredAsset } from '#domain/asset/asset.js';
import type { JobArtifact, JobInputImage } from '#domain/job/job.events.js';
import { decode } from '#domain/stored-events.js';
import { streamName, type Environment } from '#domain/streams.js';
import type { Workflow } from '#domain/workflow/workflows.js';
import type { EventStore } from '#event-store/event-store.js';
import { load } from '../aggregate.js';
import type { Caller } from '../caller.js';

/** The reference in `field` names nothing that this tenant owns: unknown, foreign and unfinished are all the same. */
export interface UnknownReference {
  readonly field: string;
}

type Picture = Pick<StoredAsset, 'assetId' | 'tenant' | 'storageKey' | 'sha256'>;

const assetIdOfUploadKey = /^(?:live|test)\/[^/]+\/uploads\/([0-9A-HJKMNP-TV-Z]{26})\.[a-z]+$/;

/**
 * Finds the pictures that a request body names, and that they are the caller's. It asks the asset's and the job's
 * own streams, so that a picture can be used the moment its upload was answered.
 */
export class PictureReferences {
  /** Assets never change once stored, so they may be remembered. */
  readonly #assets = new LRUCache<string, StoredAsset>({ max: 20_000 });

  constructor(private readonly store: EventStore) {}

  async resolve(
    workflow: Workflow,
    body: Readonly<Record<string, unknown>>,
    caller: Caller,
  ): Promise<{ kind: 'found'; inputs: JobInputImage[] } | ({ kind: 'unknown' } & UnknownReference)> {
    const inputs: JobInputImage[] = [];
    for (const described of workflow.references) {
      const { field, by } = described;
      const reference = body[field];
      if (typeof reference !== 'string' || !('input' in described)) continue;
      const { input } = described;
      const picture =
        by === 'storage-key'
          ? await this.#byUploadKey(caller.environment, reference)
          : await this.#byId(caller.environment, reference);
      if (!picture || picture.tenant !== caller.tenant) return { kind: 'unknown', field };
      const { assetId, storageKey, sha256 } = picture;
      inputs.push({ name: input, assetId, storageKey, sha256 });
    }
    return { kind: 'found', inputs };
  }

  async #byUploadKey(environment: Environment, uploadKey: string): Promise<Picture | undefined> {
    const assetId = assetIdOfUploadKey.exec(uploadKey)?.[1];
    if (!assetId) return undefined;
    const asset = await this.#asset(environment, assetId);
    return asset?.storageKey === uploadKey ? asset : undefined;
  }

  /** An asset, or the final picture of a finished job: a render goes by the id of the job that made it. */
  async #byId(environment: Environment, id: string): Promise<Picture | undefined> {
    return (await this.#asset(environment, id)) ?? (await this.#render(environment, id));
  }

  async #asset(environment: Environment, assetId: string): Promise<StoredAsset | undefined> {
    const stream = streamName(environment, 'asset', assetId);
    const remembered = this.#assets.get(stream);
    if (remembered) return remembered;
    const { state } = await load<Asset, never>(this.store, stream, {
      initial: initialAsset,
      evolve: evolveAsset,
    });
    if (state) this.#assets.set(stream, state);
    return state;
  }

  async #render(environment: Environment, jobId: string): Promise<Picture | undefined> {
    const stream = streamName(environment, 'job', jobId);
    const first = await this.store.readStream(stream, { limit: 1 });
    const last = await this.store.readStream(stream, { direction: 'backwards', limit: 1 });
    if (first.kind !== 'found' || last.kind !== 'found' || !first.events[0] || !last.events[0])
      return undefined;
    const queued = decode(first.events[0]);
    const ended = decode(last.events[0]);
    if (queued.type !== 'JobQueued' || ended.type !== 'JobSucceeded') return undefined;
    const picture = ended.data.artifacts.find(({ role }: JobArtifact) => role === 'final');
    return picture && { ...picture, tenant: queued.data.tenant };
  }
}
