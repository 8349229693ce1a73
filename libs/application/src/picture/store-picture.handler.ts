import { webcrypto } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ArrivedCredentials } from '#domain/asset/asset.events.js';
import { storeAsset, type Asset, type StoredAsset } from '#domain/asset/asset.js';
import { keptFor } from '#domain/kept-for.js';
import { streamName } from '#domain/streams.js';
import { EventStore } from '#event-store/event-store.js';
import { newId } from '#platform/ids.js';
import { pause } from '#platform/retry.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { IdempotencyStore } from '../dispatch/idempotency.js';
import { EarlierUploads, reuseKey, type SoughtUpload } from './earlier-uploads.js';
import type { FoundCredentials } from './found-credentials.js';
import { handle, untouched } from '../aggregate.js';
import { callerContext, type Caller, type CommandContext } from '../command-context.js';
import { assetAggregate, StoredPictures } from './stored-pictures.js';

export type PictureType = 'image/jpeg' | 'image/png' | 'image/webp';

/** A picture in its stored form: decoded once, upright, without metadata. */
export interface Picture {
  readonly bytes: Buffer;
  readonly contentType: PictureType;
  readonly width: number;
  readonly height: number;
}

/** Larger manifest stores are not kept: they would go into each picture that is made from the upload. */
export const keptCredentialsLimitBytes = 1024 * 1024;

/** Renders have one type more than uploads. */
export const pictureExtensions: Readonly<Record<PictureType | 'image/avif', string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/avif': 'avif',
};

/**
 * Stores the bytes first and then the event, so the bytes of every known asset exist. A crash in between leaves
 * bytes that no event names.
 */
@Injectable()
abstract class PictureWriter {
  constructor(
    private readonly store: EventStore,
    protected readonly storage: ObjectStorage,
  ) {}

  /** @returns its position in the log */
  protected async keep(
    context: CommandContext,
    bytes: Uint8Array,
    asset: StoredAsset,
  ): Promise<bigint | undefined> {
    await this.storage.put(asset.storageKey, bytes, asset.contentType);
    const stream = streamName(context.environment, 'asset', asset.assetId);
    const decide = (state: Asset) => storeAsset(asset, state);
    const kept = await handle(this.store, stream, assetAggregate, decide, context, untouched(assetAggregate));
    return kept.kind === 'accepted' ? kept.position : undefined;
  }
}

/** What is known of an upload beside its picture. */
export interface UploadFacts {
  /** The id for a new asset. Undefined: a fresh one. */
  readonly assetId?: string | undefined;
  /** The tenant's own name for the person whom it shows. */
  readonly dataSubject?: string | undefined;
  /** After so many days it is erased. */
  readonly retainDays?: number | undefined;
  /** The Content Credentials that it arrived with. */
  readonly credentials?: FoundCredentials | undefined;
  /** Whether an upload of the same picture may be given again instead of a new one. */
  readonly reuse?: boolean | undefined;
}

export class StoreUpload extends Command<StoredUpload | 'in-use'> {
  constructor(
    readonly caller: Caller,
    readonly picture: Picture,
    readonly requestId: string,
    readonly at: Date,
    readonly facts: UploadFacts = {},
  ) {
    super();
  }
}

export interface StoredUpload {
  readonly assetId: string;
  /** The caller's `upload_key`. */
  readonly storageKey: string;
  readonly credentials?: ArrivedCredentials;
  readonly position?: bigint | undefined;
  /** It was stored by an earlier request. Undefined: nothing earlier was looked for. */
  readonly alreadyThere?: boolean;
}

/** How long an upload waits for one of the same picture, and how often it looks. */
const sameUnderWay = { tries: 60, everyMs: 100 };

/**
 * A client token makes one upload. A repeated request gets the first answer, or `in-use` while the first is
 * under way. It is never given an earlier upload, because the tenant's user would learn what others have uploaded.
 */
@CommandHandler(StoreUpload)
export class StoreUploadHandler extends PictureWriter implements ICommandHandler<StoreUpload> {
  constructor(
    store: EventStore,
    storage: ObjectStorage,
    private readonly idempotency: IdempotencyStore,
    private readonly pictures: StoredPictures,
    private readonly earlier: EarlierUploads,
  ) {
    super(store, storage);
  }

  async execute(command: StoreUpload): Promise<StoredUpload | 'in-use'> {
    const { scope } = command.caller;
    if (scope) return this.once(command, '/v1/uploads', scope.id);
    const { reuse, retainDays } = command.facts;
    if (!reuse) return this.storeAs(command, idFor(command));
    // One that has an end of its own is a thing of its own.
    if (retainDays !== undefined)
      return { ...(await this.storeAs(command, idFor(command))), alreadyThere: false };
    return this.reuse(command, await soughtBy(command));
  }

  /** Two requests with the same picture at once store it once: the second waits for the first. */
  private async reuse(command: StoreUpload, sought: SoughtUpload): Promise<StoredUpload> {
    const { caller, at } = command;
    const found = await this.earlier.find(caller, sought, at);
    if (found) return { ...uploadOf(found), alreadyThere: true };
    let key = reuseKey(sought);
    for (let tries = 0; tries < sameUnderWay.tries; tries++) {
      const made = await this.once(command, '/v1/uploads reuse', key);
      if (made === 'in-use') await pause(sameUnderWay.everyMs);
      else if (!made.alreadyThere) return made;
      else if (await this.earlier.usable(caller, made.assetId, sought, at)) return made;
      // That one was erased since, or is erased soon. The next one has a key of its own.
      else key = `${reuseKey(sought)}/${made.assetId}`;
    }
    return { ...(await this.storeAs(command, idFor(command))), alreadyThere: false };
  }

  private async once(command: StoreUpload, endpoint: string, key: string): Promise<StoredUpload | 'in-use'> {
    const { environment, tenant } = command.caller;
    const ids = { requestId: command.requestId, jobId: idFor(command) };
    const begun = await this.idempotency.begin({ environment, tenant, endpoint, key, bodyHash: '' }, ids);
    if (begun.kind === 'in-use' || begun.kind === 'reused') return 'in-use';
    // Safe cast: the answer was written below.
    if (begun.kind === 'answered') return { ...(begun.answer as StoredUpload), alreadyThere: true };
    try {
      // An earlier try may have stored its picture before it died. That picture stays.
      const earlier = begun.kind === 'resume' && (await this.pictures.asset(command.caller, begun.ids.jobId));
      const { position, ...stored } = earlier
        ? { ...uploadOf(earlier), position: undefined }
        : await this.storeAs(command, begun.ids.jobId);
      await this.idempotency.answer(begun.lease, stored);
      return { ...stored, position, alreadyThere: Boolean(earlier) };
    } catch (error) {
      await this.idempotency.release(begun.lease).catch(() => undefined);
      throw error;
    }
  }

  private async storeAs(
    { caller, picture, requestId, at, facts: { dataSubject, retainDays, credentials: found } }: StoreUpload,
    assetId: string,
  ): Promise<StoredUpload> {
    const { environment, tenant } = caller;
    const { bytes, contentType, width, height } = picture;
    const name = `${environment}/${tenant}/uploads/${assetId}`;
    const storageKey = `${name}.${pictureExtensions[contentType]}`;
    const arrived = found && { credentials: await this.keepBeside(`${name}.c2pa`, found) };
    const sha256 = await digestOf(bytes);
    const context = callerContext(caller, `store:${assetId}`, requestId, at);
    const position = await this.keep(context, bytes, {
      ...arrived,
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
      ...(dataSubject !== undefined && { dataSubjects: [dataSubject] }),
      ...keptFor(retainDays),
    });
    return { assetId, storageKey, ...arrived, position };
  }

  private async keepBeside(
    storageKey: string,
    { store, problems }: FoundCredentials,
  ): Promise<ArrivedCredentials> {
    const sizeBytes = store.length;
    if (sizeBytes > keptCredentialsLimitBytes) return { problems: [...problems], kept: null };
    await this.storage.put(storageKey, store, 'application/c2pa');
    return { problems: [...problems], kept: { storageKey, sha256: await digestOf(store), sizeBytes } };
  }
}

const idFor = ({ facts: { assetId } }: StoreUpload) => assetId ?? newId();

const uploadOf = ({ assetId, storageKey, credentials }: StoredAsset): StoredUpload => ({
  assetId,
  storageKey,
  ...(credentials && { credentials }),
});

async function soughtBy({ picture, facts }: StoreUpload): Promise<SoughtUpload> {
  const { dataSubject, credentials: found } = facts;
  return {
    sha256: await digestOf(picture.bytes),
    contentType: picture.contentType,
    dataSubjects: dataSubject === undefined ? [] : [dataSubject],
    credentials: found ? { sha256: await digestOf(found.store), problems: found.problems } : null,
  };
}

/** SHA-256 in hex. It runs on another thread: 25 MB would delay every other request by tens of milliseconds. */
async function digestOf(bytes: Buffer): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}

/** Stores a picture of a render. If the attempt stores it again, the id is the same. */
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
