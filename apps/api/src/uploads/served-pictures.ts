import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { OwnMetrics } from '#adapters/platform.module.js';
import { StoredPictures } from '#application/picture/stored-pictures.js';
import type { KnownAsset } from '#domain/asset/asset.js';
import { environments } from '#domain/streams.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import type { Metrics } from '#platform/metrics.js';
import { ObjectNotFound, ObjectStorage } from '#storage/object-storage.js';
import { ApiError, erased, notFound } from '../http/api-error.js';
import { BoundedConcurrency } from '#platform/bounded-concurrency.js';
import { ThumbnailUrls, type ThumbnailUrlsResponse } from './thumbnail-urls.js';

export interface ShownPicture {
  readonly image_url: string;
  readonly thumbnails: ThumbnailUrlsResponse;
}

/** Whether the bytes of a picture have the digest of its event. `unknown`: no event has a digest for it. */
type PictureState = 'intact' | 'missing' | 'altered' | 'unknown';

const rememberedPictures = 20_000;
const rememberedForMs = 3_600_000;
/** One that was put back is served again after this time. */
const brokenForMs = 10_000;
/**
 * How many whole pictures are read at the same time. The reads must leave enough of the machine for requests.
 */
const checksAtATime = 4;
/** How long an answer waits for the check of a picture that another server delivers. */
const patienceMs = 500;

/**
 * Checks pictures before callers get them, because an intruder with write access to the storage can replace the
 * bytes under a key. Each process reads each picture before it first serves it, and again after an hour. It
 * compares the picture with the digest in the log.
 */
@Injectable()
export class ServedPictures {
  private readonly states = new LRUCache<string, Promise<PictureState>>({
    max: rememberedPictures,
    ttl: rememberedForMs,
  });
  private readonly checks = new BoundedConcurrency(checksAtATime, Infinity, pictureGone);

  constructor(
    private readonly pictures: StoredPictures,
    private readonly storage: ObjectStorage,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(OwnMetrics) private readonly metrics: Metrics | undefined,
    @Inject(Logger) private readonly logger: Logger,
    private readonly thumbnails: ThumbnailUrls,
  ) {}

  /**
   * The URL of the picture. If this API serves the picture, it checks it when the picture is requested. If
   * another server does, the check is made here, and a broken picture gets a URL that reports it.
   */
  async urlOf(storageKey: string): Promise<string> {
    if (this.storage.isServedElsewhere && (await isSoonBroken(this.stateOf(storageKey))))
      return `${this.configuration.publicUrl}/objects/gone/${storageKey}`;
    return this.storage.presignGet(storageKey);
  }

  /** The same, with the URLs of smaller sizes. An installation without a signing key has only the full size. */
  async shown(storageKey: string): Promise<ShownPicture> {
    const image_url = await this.urlOf(storageKey);
    const thumbnails = this.thumbnails.of(storageKey) ?? { 256: image_url, 512: image_url, 1024: image_url };
    return { image_url, thumbnails };
  }

  /** The same for a single picture, which must exist now. @throws ApiError, 410: it is gone, or altered */
  async shownNow(storageKey: string): Promise<ShownPicture> {
    await this.refuseErased(storageKey);
    const look = async (): Promise<PictureState> => {
      if (await this.storage.has(storageKey)) return this.stateOf(storageKey);
      this.states.delete(storageKey);
      return 'missing';
    };
    if (await isSoonBroken(look())) throw pictureGone();
    return this.shown(storageKey);
  }

  /** For lists. It makes no check, because the picture is checked when the smaller size is made. */
  async thumbnailOf(storageKey: string): Promise<string> {
    return this.thumbnails.of(storageKey)?.[256] ?? this.urlOf(storageKey);
  }

  /**
   * The bytes, if they fit the digest in the log. @throws ApiError, 404 and 410; and the errors of log and
   * storage
   */
  async bytesOf(storageKey: string): Promise<Buffer> {
    await this.refuseErased(storageKey);
    const expected = await this.digestOf(storageKey);
    const bytes = await this.storage.get(storageKey).catch((error: unknown) => {
      if (!(error instanceof ObjectNotFound)) throw error;
      throw expected === undefined ? notFound('picture') : pictureGone();
    });
    const found = hash('sha256', bytes);
    if (expected !== undefined && !found.startsWith(expected)) throw pictureGone();
    return bytes;
  }

  /** @throws ApiError, 410: the picture must not be served; and the errors of log and storage */
  async require(storageKey: string): Promise<void> {
    await this.refuseErased(storageKey);
    if (isBroken(await this.stateOf(storageKey))) throw pictureGone();
  }

  /** @throws ApiError, 410: it was erased; and the errors of the log */
  async refuseErased(storageKey: string): Promise<void> {
    const asset = await this.assetAt(storageKey);
    if (asset?.erasedAt === undefined) return;
    this.states.delete(storageKey);
    throw erased('picture', asset.erasedAt);
  }

  private stateOf(storageKey: string): Promise<PictureState> {
    const known = this.states.get(storageKey);
    if (known) return known;
    const checking = this.checks.run(() => this.look(storageKey));
    this.states.set(storageKey, checking);
    checking.catch(() => this.states.delete(storageKey));
    return checking;
  }

  private async look(storageKey: string): Promise<PictureState> {
    const expected = await this.digestOf(storageKey);
    if (expected === undefined) return 'unknown';
    const found = await this.storage.digest(storageKey).catch((error: unknown) => {
      if (error instanceof ObjectNotFound) return undefined;
      throw error;
    });
    if (found?.startsWith(expected)) return 'intact';
    const state = found === undefined ? 'missing' : 'altered';
    this.metrics?.brokenPictures.inc({ reason: state });
    this.logger.error({ storageKey, expected, found }, `a picture is ${state}`);
    this.states.set(storageKey, Promise.resolve(state), { ttl: brokenForMs });
    return state;
  }

  /** SHA-256 in hex. An asset's event has it. A preview's key holds its first half. */
  private async digestOf(storageKey: string): Promise<string | undefined> {
    const preview = /^presets\/[^/]+\/([0-9a-f]{16})\.jpg$/.exec(storageKey)?.[1];
    return preview ?? (await this.assetAt(storageKey))?.sha256;
  }

  private async assetAt(storageKey: string): Promise<KnownAsset | undefined> {
    const [, first, tenant = '', assetId = ''] =
      /^([a-z]+)\/([^/]+)\/(?:[^/]+\/)+([^/.]+)\.[a-z]+$/.exec(storageKey) ?? [];
    const environment = environments.find((each) => each === first);
    const asset = environment && (await this.pictures.asset({ environment, tenant }, assetId));
    return asset?.storageKey === storageKey ? asset : undefined;
  }
}

const isBroken = (state: PictureState) => state === 'missing' || state === 'altered';

/** If the storage is slow or away, nothing is known about the picture. */
async function isSoonBroken(looked: Promise<PictureState>): Promise<boolean> {
  const late = sleep(patienceMs, 'unknown' as const, { ref: false });
  return isBroken(await Promise.race([looked.catch(() => 'unknown' as const), late]));
}

export function pictureGone(): ApiError {
  return new ApiError(
    'PICTURE_GONE',
    'The bytes of this picture are gone from the storage, or are not those that were stored. Ask the operator of the service to restore it. Nothing was charged.',
  );
}
