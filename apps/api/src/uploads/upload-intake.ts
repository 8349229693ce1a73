import { readFile } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { StoreUpload, type StoredUpload } from '#application/picture/store-picture.handler.js';
import { credentialsIn } from '#capabilities/parts.js';
import type { AboutPersons } from '#domain/data-subject.js';
import { BoundedConcurrency } from '#platform/bounded-concurrency.js';
import { Clock } from '#platform/clock.js';
import { ApiError } from '../http/api-error.js';
import { tellWrite } from '../http/consistency-token.js';
import { decodePicture } from './decode-picture.js';
import { ServedPictures } from './served-pictures.js';
import { present, type UploadResponse } from './upload-response.js';

export const retainDaysAbout =
  'The picture is erased this many days later. It can only shorten what `GET /v1/retention` shows.';

export const reuseAbout =
  'True: if you have uploaded the same picture before, with the same credentials and person, you get that upload, and ' +
  '`already_there` tells so. An upload that is erased soon, or that has `retain_days`, is never given again, and a client ' +
  'token always makes a new one.';

/** The fields of every way to upload. */
export interface ToldWithUpload {
  readonly data_subject?: string;
  readonly retain_days?: number;
  readonly reuse?: boolean;
}

export function tooBusy(): ApiError {
  const message = 'Too many pictures are being uploaded at the same time. Send this one again in a moment.';
  return new ApiError('SERVICE_UNAVAILABLE', message, { headers: { 'retry-after': '2' } });
}

function underWay(): ApiError {
  const message =
    'An upload with this token is in progress, and the token allows only one. Send it again in a moment.';
  return new ApiError('IDEMPOTENCY_KEY_IN_USE', message, { headers: { 'retry-after': '1' } });
}

/** What every way to upload has in common once the file is on disk. */
@Injectable()
export class UploadIntake {
  private readonly readCredentials = credentialsIn?.();
  /** How many bodies may arrive at the same time. Each one costs a file of at most 25 MiB. */
  readonly receiving = new BoundedConcurrency(64, 0, tooBusy);
  /** How many pictures may be decoded at the same time. Each one costs memory for its pixels, and a thread. */
  private readonly decoding = new BoundedConcurrency(2, 64, tooBusy);

  constructor(
    private readonly commands: CommandBus,
    private readonly consistency: ReadYourWrites,
    private readonly pictures: ServedPictures,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  store(
    caller: Caller,
    path: string,
    { data_subject: dataSubject, retain_days: retainDays, reuse }: ToldWithUpload,
    requestId: string,
    assetId?: string,
  ): Promise<(StoredUpload & AboutPersons) | 'in-use'> {
    return this.decoding.run(async () => {
      const picture = await decodePicture(path);
      const credentials = (await this.readCredentials)?.(await readFile(path));
      const facts = { assetId, dataSubject, retainDays, credentials, reuse };
      const stored = await this.commands.execute(
        new StoreUpload(caller, picture, requestId, this.clock(), facts),
      );
      return stored === 'in-use'
        ? stored
        : { ...stored, ...(dataSubject !== undefined && { dataSubjects: [dataSubject] }) };
    });
  }

  async answer(
    caller: Caller,
    stored: (StoredUpload & AboutPersons) | 'in-use',
    reply: FastifyReply,
  ): Promise<UploadResponse> {
    if (stored === 'in-use') throw underWay();
    tellWrite(this.consistency, caller, stored.position, reply);
    return present(stored, await this.pictures.shown(stored.storageKey), caller);
  }
}
