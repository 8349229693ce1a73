import { webcrypto } from 'node:crypto';
import { Injectable, Module } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { evolveAsset, initialAsset, storeAsset, type Asset, type StoredAsset } from '#domain/asset/asset.js';
import type { AssetEvent } from '#domain/asset/asset.events.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { handle, untouched, type Aggregate } from '../aggregate.js';
import type { Caller, CommandContext } from '../command-context.js';
import { StoredPictures } from './stored-pictures.js';

export type PictureType = 'image/jpeg' | 'image/png' | 'image/webp';

/** A picture as it is kept: decoded once, upright, without metadata. */
export interface Picture {
  readonly bytes: Buffer;
  readonly contentType: PictureType;
  readonly width: number;
  readonly height: number;
}

/** How the storage keys of pictures end. */
export const pictureExtensions: Readonly<Record<PictureType, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
};

const aggregate: Aggregate<Asset, AssetEvent> = { initial: initialAsset, evolve: evolveAsset };

/** Bytes first, then the fact: an asset that the log knows is always there. A crash in between leaves bytes that no event names. */
@Injectable()
abstract class PictureWriter {
  constructor(
    private readonly store: EventStore,
    private readonly storage: ObjectStorage,
  ) {}

  /** @returns where in the log it stands */
  protected async keep(
    context: CommandContext,
    bytes: Uint8Array,
    asset: StoredAsset,
  ): Promise<bigint | undefined> {
    await this.storage.put(asset.storageKey, bytes, asset.contentType);
    const stream = streamName(context.environment, 'asset', asset.assetId);
    const decide = (state: Asset) => storeAsset(asset, state);
    const kept = await handle(this.store, stream, aggregate, decide, context, untouched(aggregate));
    return kept.kind === 'accepted' ? kept.position : undefined;
  }
}

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

@CommandHandler(StoreUpload)
export class StoreUploadHandler extends PictureWriter implements ICommandHandler<StoreUpload> {
  async execute({ caller, picture, requestId, at }: StoreUpload): Promise<StoredUpload> {
    const { environment, tenant, keyId } = caller;
    const { bytes, contentType, width, height } = picture;
    const assetId = newId();
    const storageKey = `${environment}/${tenant}/uploads/${assetId}.${pictureExtensions[contentType]}`;
    // On another thread: 25 MB would hold up every other request for tens of milliseconds.
    const sha256 = Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
    const context = {
      environment,
      tenant,
      commandId: `store:${assetId}`,
      requestId,
      actor: `key:${keyId}`,
      at,
    };
    const position = await this.keep(context, bytes, {
      ...{ assetId, tenant, storageKey, contentType, width, height, sizeBytes: bytes.length, sha256 },
      ...{ origin: 'upload', jobId: null, at: at.toISOString() },
    });
    return { assetId, storageKey, position };
  }
}

/** Keeps a picture that a render made, under an id that is the same when the attempt stores it again. */
export class StoreRender extends Command<bigint | undefined> {
  constructor(
    readonly context: CommandContext,
    readonly bytes: Uint8Array,
    readonly asset: Omit<StoredAsset, 'tenant' | 'sizeBytes' | 'origin' | 'at'>,
  ) {
    super();
  }
}

@CommandHandler(StoreRender)
export class StoreRenderHandler extends PictureWriter implements ICommandHandler<StoreRender> {
  execute({ context, bytes, asset }: StoreRender): Promise<bigint | undefined> {
    const at = context.at.toISOString();
    const sizeBytes = bytes.length;
    return this.keep(context, bytes, { ...asset, tenant: context.tenant, sizeBytes, origin: 'render', at });
  }
}

/** Pictures that tenants have uploaded, and those that their jobs have made. */
@Module({
  providers: [StoredPictures, StoreUploadHandler],
  exports: [StoredPictures],
})
export class PictureModule {}
