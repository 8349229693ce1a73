import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { loadSharp, longestSide } from '#api/uploads/decode-picture.js';
import { BoundedConcurrency } from '#platform/bounded-concurrency.js';
import { spoolUpload } from '#api/uploads/spooled-upload.js';
import type { Caller } from '#application/command-context.js';
import { DispatchCheck } from '#application/dispatch/dispatch-check.js';
import type { Environment } from '#domain/environment.js';
import { Clock } from '#platform/clock.js';
import { carrierOf } from './carriers.js';
import { greyOf, seek, type SoughtLikeness } from './likeness.js';
import { PictureOrigins, type KnownJob, type KnownPicture } from './picture-origins.js';
import { PresentedCredentials } from './presented-credentials.js';
import type { OriginResponse, VerificationResponse } from './provenance.dto.js';
import { readCredentials, type Credentials } from './read-credentials.js';

interface SeenInPicture {
  readonly credentials?: Credentials | undefined;
  readonly look?: () => Promise<SoughtLikeness | undefined>;
}

export type Asking = Pick<Caller, 'environment' | 'tenant'>;

/** Larger pictures are not looked at: no model makes them. */
const lookedAtPixels = 40_000_000;
const lookTimeoutSeconds = 10;

/** Bounds for the pictures of some callers, so that others do not wait for them. */
export class VerificationPlaces {
  /** A hostile picture can take hundreds of megabytes while it is decoded. */
  readonly looking = new BoundedConcurrency(1);

  /** @param reading bounds the pictures in memory, and so those that wait to be looked at */
  constructor(readonly reading: BoundedConcurrency) {}
}

/** Judges pictures that anyone may have sent. */
@Injectable()
export class Verification {
  constructor(
    private readonly origins: PictureOrigins,
    private readonly presented: PresentedCredentials,
    private readonly modules: ModuleRef,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * The picture in a multipart request.
   * @param places A request takes its place once its body is there, so that slow clients hold none.
   * @param check of its bytes, which may throw
   * @throws ApiError as {@link spoolUpload}, and if there is no place
   */
  async ofUpload(
    asking: Asking,
    request: FastifyRequest,
    { reading, looking }: VerificationPlaces,
    check: (bytes: Buffer) => void = () => undefined,
  ): Promise<VerificationResponse> {
    await using upload = await spoolUpload(request);
    return await reading.run(async () => {
      const bytes = await readFile(upload.path);
      check(bytes);
      const look = () => looking.run(() => lookAt(bytes));
      return this.of(asking, hash('sha256', bytes), { credentials: readCredentials(bytes), look });
    });
  }

  /** @param sha256 of the picture, in hex. @param seen in the picture, if it is there */
  async of(
    asking: Asking,
    sha256: string,
    { credentials, look }: SeenInPicture = {},
  ): Promise<VerificationResponse> {
    const recognition = await this.origins.recognise({ sha256, credentials, look }, asking);
    const { verdict, picture } = recognition;
    return {
      verdict,
      looks_alike: verdict === 'changed' ? recognition.looksAlike : null,
      sha256,
      origin: picture ? await this.originOf(asking, picture) : null,
      credentials: await this.presented.of(credentials),
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
    const isOwn = tenant === asking.tenant;
    return {
      ordered_by: isOwn ? 'you' : 'another',
      environment,
      job_id: queued.jobId,
      workflow: queued.operation,
      engine: succeeded?.provenance?.engine ?? null,
      model: succeeded?.provenance?.model ?? null,
      created_at: at,
      erased_inputs: isOwn ? await this.erasedInputs(environment, job) : null,
      release_in_force: isOwn ? await this.isReleased(environment, job) : null,
    };
  }

  private async erasedInputs(
    environment: Environment,
    { queued }: KnownJob,
  ): Promise<OriginResponse['erased_inputs']> {
    const inputs = queued.inputs.map(async ({ name, assetId }) => {
      const erasedAt = await this.origins.erasedAt(environment, assetId);
      return erasedAt === null ? [] : [{ name, erased_at: erasedAt }];
    });
    return (await Promise.all(inputs)).flat();
  }

  /** Whether the same use of the same persons' pictures would be permitted now. Null: no person is named. */
  private async isReleased(environment: Environment, { queued }: KnownJob): Promise<boolean | null> {
    const { tenant, operation: workflow, dataSubjects = [] } = queued;
    if (dataSubjects.length === 0) return null;
    const asked = { environment, tenant, workflow, dataSubjects, at: this.clock() };
    // The API has one, in the module of dispatches.
    const answer = await this.modules.get(DispatchCheck, { strict: false }).check(asked);
    return answer.kind === 'allowed' && (answer.permits?.every((permit) => permit !== null) ?? false);
  }
}

/** Undefined: it does not decode, is too large, or is of one colour. */
async function lookAt(bytes: Buffer): Promise<SoughtLikeness | undefined> {
  if (!carrierOf(bytes)) return undefined;
  const sharp = await loadSharp();
  try {
    // Most of a damaged picture can still be seen.
    const source = sharp(bytes, {
      failOn: 'none',
      limitInputPixels: lookedAtPixels,
      sequentialRead: true,
      pages: 1,
    });
    const { width, height } = await source.metadata();
    if (Math.max(width, height) > longestSide) return undefined;
    const grey = await greyOf(source.timeout({ seconds: lookTimeoutSeconds }));
    return grey && (await seek(grey));
  } catch {
    // The bytes may be anything, and sharp throws plain errors.
    return undefined;
  }
}
