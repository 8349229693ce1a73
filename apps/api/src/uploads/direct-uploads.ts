import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '#application/command-context.js';
import { IdempotencyStore, type IdempotencyLease } from '#application/dispatch/idempotency.js';
import { incomingKey } from '#application/picture/incoming-pictures.js';
import type { StoredUpload } from '#application/picture/store-picture.handler.js';
import { StoredPictures, type Owner } from '#application/picture/stored-pictures.js';
import type { AboutPersons } from '#domain/data-subject.js';
import type { KnownAsset } from '#domain/asset/asset.js';
import { Clock } from '#platform/clock.js';
import { newId } from '#platform/ids.js';
import { ObjectNotFound, ObjectStorage, type PostForm } from '#storage/object-storage.js';
import { ApiError } from '../http/api-error.js';
import { bounded, openSpool, uploadLimitBytes } from './spooled-upload.js';
import { type ToldWithUpload, UploadIntake } from './upload-intake.js';

const formValidMs = 15 * 60_000;

interface GivenForm extends PostForm {
  readonly assetId: string;
  readonly expiresAt: Date;
}

/** An upload by this request; or one that an earlier request has stored, as it is now. */
type Completed = { readonly stored: StoredUpload & AboutPersons } | { readonly known: KnownAsset };

/**
 * Uploads whose bytes go past the API: the caller sends the file to the object storage by a signed form, and then tells
 * that it is there. Nothing remembers a form. The caller's tenant and the id in the path name the file, so a caller
 * reaches only files that its own tenant has sent.
 *
 * Completing runs under an Idempotency-Key that is the id. It stores the picture, then remembers which upload it became,
 * and removes the file last. A process that dies in between leaves a file, which the next try or housekeeping removes.
 */
@Injectable()
export class DirectUploads {
  constructor(
    private readonly intake: UploadIntake,
    private readonly storage: ObjectStorage,
    private readonly idempotency: IdempotencyStore,
    private readonly pictures: StoredPictures,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** @returns undefined where the storage takes no forms */
  async form(owner: Owner, contentType: string): Promise<GivenForm | undefined> {
    const assetId = newId();
    const at = this.clock();
    const expiresAt = new Date(at.getTime() + formValidMs);
    const terms = { contentType, mostBytes: uploadLimitBytes, at, expiresAt };
    const form = await this.storage.presignPost(incomingKey(owner, assetId), terms);
    return form && { ...form, assetId, expiresAt };
  }

  /**
   * @returns `in-use` while another request completes the same upload
   * @throws ApiError 404 if no file has arrived; and for a file that is no picture, which is removed
   */
  async complete(
    caller: Caller,
    assetId: string,
    { told, requestId, timeoutMs }: { told: ToldWithUpload; requestId: string; timeoutMs: number },
  ): Promise<Completed | 'in-use'> {
    const { environment, tenant } = caller;
    const request = { environment, tenant, endpoint: '/v1/uploads/direct', key: assetId, bodyHash: '' };
    const begun = await this.idempotency.begin(request, { requestId, jobId: assetId });
    if (begun.kind === 'in-use' || begun.kind === 'reused') return 'in-use';
    // Safe cast: the answer was written below.
    const became = begun.kind === 'answered' ? (begun.answer as { assetId: string }).assetId : assetId;
    const store = () => this.store(caller, assetId, told, requestId, timeoutMs);
    const completed = await this.orStored(
      caller,
      became,
      begun.kind === 'answered' ? undefined : begun.lease,
      store,
    );
    await this.storage.erase(incomingKey(caller, assetId));
    return completed;
  }

  /** The asset if it is there. Otherwise `store` makes it, and the lease remembers which one it became. */
  private async orStored(
    caller: Caller,
    assetId: string,
    lease: IdempotencyLease | undefined,
    store: () => Promise<StoredUpload & AboutPersons>,
  ): Promise<Completed> {
    try {
      const known = await this.pictures.upload(caller, assetId);
      const completed = known ? { known } : { stored: await store() };
      const { assetId: became } = 'known' in completed ? completed.known : completed.stored;
      if (lease) await this.idempotency.answer(lease, { assetId: became });
      return completed;
    } catch (error) {
      // Nothing has happened if the request is refused.
      const isRefused = error instanceof ApiError && error.status < 500;
      if (lease) await this.idempotency[isRefused ? 'forget' : 'release'](lease).catch(() => undefined);
      throw error;
    }
  }

  private async store(
    caller: Caller,
    assetId: string,
    told: ToldWithUpload,
    requestId: string,
    timeoutMs: number,
  ): Promise<StoredUpload & AboutPersons> {
    const key = incomingKey(caller, assetId);
    try {
      await using file = await this.spool(key, timeoutMs);
      const stored = await this.intake.store(caller, file.path, told, requestId, assetId);
      // Only client tokens share an upload, and none comes here.
      if (stored === 'in-use') throw new Error('an upload without a client token is in use');
      return stored;
    } catch (error) {
      if (error instanceof ApiError && [413, 415, 422].includes(error.status)) await this.storage.erase(key);
      throw error;
    }
  }

  private async spool(key: string, timeoutMs: number): Promise<AsyncDisposable & { readonly path: string }> {
    const { file, path, discard } = await openSpool();
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      await this.storage.stream(key, (bytes) =>
        pipeline(bytes, bounded, (source) => file.writeFile(source), { signal }),
      );
      return { path, [Symbol.asyncDispose]: discard };
    } catch (error) {
      await discard();
      if (error instanceof ObjectNotFound) throw notSent();
      throw signal.aborted ? tooSlow(error) : error;
    }
  }
}

function notSent(): ApiError {
  const message =
    'There is no file for this id. Send the form of POST /v1/uploads/direct first; files that are not completed are removed ' +
    'after an hour. Nothing was charged.';
  return new ApiError('RESOURCE_NOT_FOUND', message);
}

function tooSlow(cause: unknown): ApiError {
  const message =
    'The storage did not give the file in time. Nothing was charged. Send the request again in a moment.';
  return new ApiError('SERVICE_UNAVAILABLE', message, { headers: { 'retry-after': '2' }, cause });
}
