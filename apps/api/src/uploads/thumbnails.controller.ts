import { Controller, Get, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Public } from '../auth/api-key.guard.js';
import { ApiError, notFound } from '../http/api-error.js';
import { loadSharp, pixelLimit } from './decode-picture.js';
import { BoundedConcurrency } from '#platform/bounded-concurrency.js';
import { pictureHeaders } from './objects.controller.js';
import { ServedPictures } from './served-pictures.js';
import { ThumbnailUrls } from './thumbnail-urls.js';

/** In memory, for galleries that many look at. */
const rememberedBytes = 32 * 1024 * 1024;

function tooBusy(): ApiError {
  const message =
    'Too many pictures are being scaled down at the same time. Request this one again in a moment.';
  return new ApiError('SERVICE_UNAVAILABLE', message, { headers: { 'retry-after': '1' } });
}

/**
 * Pictures in smaller sizes. They are made on request, from bytes that were compared with the log. Any client
 * with a signed URL may fetch them, and every bad URL gives the same 404.
 */
@ApiExcludeController()
@Controller('/objects/thumbnails')
@Public()
export class ThumbnailsController {
  /** Each one costs the memory of a decoded picture. So all clients that wait for one size share its making. */
  private readonly making = new BoundedConcurrency(2, 64, tooBusy);
  private readonly made = new LRUCache<string, Buffer, number>({
    maxSize: rememberedBytes,
    sizeCalculation: ({ length }) => length,
    fetchMethod: (path, _stale, { context: width }) =>
      this.making.run(() => this.make(path.slice(path.indexOf('/') + 1), width)),
  });

  constructor(
    private readonly urls: ThumbnailUrls,
    private readonly pictures: ServedPictures,
  ) {}

  @Get(':width/*')
  async get(
    @Req()
    request: FastifyRequest<{
      Params: { width: string; '*': string };
      Querystring: Record<string, unknown>;
    }>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { expires, signature } = request.query;
    const { width: text, '*': storageKey } = request.params;
    const width = Number(text);
    if (typeof expires !== 'string' || typeof signature !== 'string') throw notFound('picture');
    if (!this.urls.allows({ storageKey, width, expires: Number(expires), signature }))
      throw notFound('picture');
    await this.pictures.refuseErased(storageKey).catch((error: unknown) => {
      this.made.delete(`${width}/${storageKey}`);
      throw error;
    });
    const bytes = await this.made.forceFetch(`${width}/${storageKey}`, { context: width });
    void reply.headers(pictureHeaders);
    return new StreamableFile(bytes, { type: 'image/webp', length: bytes.length, disposition: 'inline' });
  }

  private async make(storageKey: string, width: number): Promise<Buffer> {
    const bytes = await this.pictures.bytesOf(storageKey);
    const sharp = await loadSharp();
    const picture = sharp(bytes, { limitInputPixels: pixelLimit, sequentialRead: true });
    const xmp = String((await picture.metadata()).xmp ?? '');
    // A generated picture is marked as such in every size. Other metadata is dropped.
    if (xmp.includes('newscodes/digitalsourcetype')) picture.withXmp(xmp);
    return picture.resize({ width, withoutEnlargement: true }).webp({ quality: 82, effort: 2 }).toBuffer();
  }
}
