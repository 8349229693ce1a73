import { Controller, Get, Inject, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FolderStorage } from '#storage/folder/folder-storage.js';
import { ObjectNotFound, ObjectStorage, presignedUrlSeconds } from '#storage/object-storage.js';
import { Public } from '../auth/api-key.guard.js';
import { notFound } from '../http/api-error.js';
import { pictureGone, ServedPictures } from './served-pictures.js';

export const pictureHeaders = {
  // The bytes under a key never change until they are erased, so browsers keep them as long as a URL is valid.
  // `private`, because the URL was given to one caller.
  'cache-control': `private, max-age=${presignedUrlSeconds}, immutable`,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
};

/**
 * Pictures of folder storage, for any client with a signed URL that has not expired. The URL is the permission,
 * as with a bucket. It is no part of the interface, and every bad URL gives the same 404.
 */
@ApiExcludeController()
@Controller('/objects')
@Public()
export class ObjectsController {
  constructor(
    // Where pictures are in a bucket, this controller is not installed.
    @Inject(ObjectStorage) private readonly objects: FolderStorage,
    private readonly pictures: ServedPictures,
  ) {}

  @Get('*')
  async get(
    @Req() request: FastifyRequest<{ Params: { '*': string }; Querystring: Record<string, unknown> }>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { expires, signature } = request.query;
    const key = request.params['*'];
    if (typeof expires !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(expires)) {
      throw notFound('picture');
    }
    if (!this.objects.allows({ key, expires: Number(expires), signature })) throw notFound('picture');
    await this.pictures.require(key);
    const { stream, sizeBytes, contentType } = await this.open(key);
    void reply.headers(pictureHeaders);
    return new StreamableFile(stream, { type: contentType, length: sizeBytes, disposition: 'inline' });
  }

  private async open(key: string) {
    try {
      return await this.objects.openRead(key);
    } catch (error) {
      throw error instanceof ObjectNotFound ? notFound('picture') : error;
    }
  }
}

/** The URL of a picture leads here when the bucket no longer has its intact bytes. */
@ApiExcludeController()
@Controller('/objects/gone')
@Public()
export class GoneObjectsController {
  @Get('*')
  get(): never {
    throw pictureGone();
  }
}
