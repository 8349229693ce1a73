import { webcrypto } from 'node:crypto';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { evolveAsset, initialAsset, storeAsset, type Asset } from '#domain/asset/asset.js';
import type { AssetEvent } from '#domain/asset/asset.events.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { handle, untouched, type Aggregate } from '../aggregate.js';
import type { Caller } from '../caller.js';
import { extensionOf, type Picture } from './picture.js';

/** Keeps a picture that was decoded and found good. */
export class StoreUpload extends Command<StoredUpload> {
  constructor(
    readonly caller: Caller,
    readonly picture: Picture,
    readonly requestId: string,
    readonly at: Date,
  ) {
    super();
  }
}

export interface StoredUpload {
  readonly assetId: string;
  /** The caller's `upload_key`. */
  readonly storageKey: string;
  readonly position: bigint | undefined;
}

const aggregate: Aggregate<Asset, AssetEvent> = { initial: initialAsset, evolve: evolveAsset };

/** SHA-256 on another thread: 25 MB would hold up every other request for tens of milliseconds. */
function digest(bytes: Buffer): Promise<ArrayBuffer> {
  return webcrypto.subtle.digest('SHA-256', bytes);
}

/** Bytes first, then the fact: an asset that the log knows is always there. A crash in between leaves bytes that no event names. */
@CommandHandler(StoreUpload)
export class StoreUploadHandler implements ICommandHandler<StoreUpload> {
  constructor(
    private readonly store: EventStore,
    private readonly storage: ObjectStorage,
  ) {}

  async execute({ caller, picture, requestId, at }: StoreUpload): Promise<StoredUpload> {
    const { environment, tenant, keyId } = caller;
    const { bytes, contentType, width, height } = picture;
    const assetId = newId();
    const storageKey = `${environment}/${tenant}/uploads/${assetId}.${extensionOf(contentType)}`;
    const sha256 = Buffer.from(await digest(bytes)).toString('hex');
    await this.storage.put(storageKey, bytes, contentType);
    const stored = await handle(
      this.store,
      streamName(environment, 'asset', assetId),
      aggregate,
      (asset) =>
        storeAsset(
          {
            assetId,
            tenant,
            storageKey,
            contentType,
            width,
            height,
            sizeBytes: bytes.length,
            sha256,
            origin: 'upload',
            jobId: null,
            at: at.toISOString(),
          },
          asset,
        ),
      {
        environment,
        tenant,
        commandId: `store:${assetId}`,
        requestId,
        actor: `key:${keyId}`,
        at,
      },
      untouched(aggregate),
    );
    return { assetId, storageKey, position: stored.kind === 'accepted' ? stored.position : undefined };
  }
}
