import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { BoundedConcurrency } from '#api/uploads/decode-picture.js';
import { spoolUpload } from '#api/uploads/spooled-upload.js';
import type { Caller } from '#application/command-context.js';
import { PictureOrigins, type KnownPicture } from './picture-origins.js';
import { presentCredentials, type OriginResponse, type VerificationResponse } from './provenance.dto.js';
import { readCredentials, type Credentials } from './read-credentials.js';

export type Asking = Pick<Caller, 'environment' | 'tenant'>;

/** Judges pictures that anyone may have sent. */
@Injectable()
export class Verification {
  constructor(private readonly origins: PictureOrigins) {}

  /**
   * The picture in a multipart request.
   * @param reading bounds the pictures in memory. A request takes its place once its body is there, so that slow clients hold
   * none.
   * @param check of its bytes, which may throw
   * @throws ApiError as {@link spoolUpload}, and if there is no place
   */
  async ofUpload(
    asking: Asking,
    request: FastifyRequest,
    reading: BoundedConcurrency,
    check: (bytes: Buffer) => void = () => undefined,
  ): Promise<VerificationResponse> {
    await using upload = await spoolUpload(request);
    return await reading.run(async () => {
      const bytes = await readFile(upload.path);
      check(bytes);
      return this.of(asking, hash('sha256', bytes), readCredentials(bytes));
    });
  }

  /** @param sha256 of the picture, in hex. @param credentials in the picture, if the picture itself is there */
  async of(asking: Asking, sha256: string, credentials?: Credentials): Promise<VerificationResponse> {
    const { verdict, picture } = await this.origins.recognise({ sha256, credentials }, asking);
    return {
      verdict,
      sha256,
      origin: picture ? await this.originOf(asking, picture) : null,
      credentials: credentials ? presentCredentials(credentials) : null,
    };
  }

  private async originOf(
    asking: Asking,
    { environment, stored }: KnownPicture,
  ): Promise<OriginResponse | null> {
    const { jobId, tenant, at } = stored;
    const job = jobId === null ? undefined : await this.origins.job(environment, jobId);
    if (!job) return null;
    const { queued, succeeded } = job;
    return {
      ordered_by: tenant === asking.tenant ? 'you' : 'another',
      environment,
      job_id: queued.jobId,
      workflow: queued.operation,
      engine: succeeded?.provenance?.engine ?? null,
      model: succeeded?.provenance?.model ?? null,
      created_at: at,
    };
  }
}
