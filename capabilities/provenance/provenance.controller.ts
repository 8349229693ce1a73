import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtraModels, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { RequireCapability } from '#api/auth/api-key.guard.js';
import { CurrentCaller } from '#api/auth/caller.js';
import { ApiError, notFound } from '#api/http/api-error.js';
import { DescribeErrors, DescribeFixed, DescribePublicId } from '#api/http/describe.js';
import { readJsonBody } from '#api/http/request-body.js';
import { NoIdempotencyKey, PublicId } from '#api/http/valid-request.js';
import { BoundedConcurrency } from '#api/uploads/decode-picture.js';
import { spoolUpload } from '#api/uploads/spooled-upload.js';
import type { Caller } from '#application/command-context.js';
import type { Environment } from '#domain/streams.js';
import { validate } from '#validation/validate.js';
import { KeptCredentials } from './kept-credentials.js';
import { PictureOrigins, type KnownJob, type KnownPicture } from './picture-origins.js';
import {
  PassportResponse,
  presentCredentials,
  VerificationResponse,
  VerifyBody,
  type OriginResponse,
} from './provenance.dto.js';
import { readCredentials } from './read-credentials.js';

function tooBusy(): ApiError {
  const message = 'Too many pictures are being verified at the same time. Send this one again in a moment.';
  return new ApiError('SERVICE_UNAVAILABLE', message, { headers: { 'retry-after': '2' } });
}

const uploadedFile = {
  type: 'object',
  required: ['file'],
  additionalProperties: false,
  properties: { file: { type: 'string', format: 'binary' } },
};

/** Where pictures come from: any picture for any caller, and all about a caller's own. */
@ApiExtraModels(VerifyBody)
@Controller('/v1')
export class ProvenanceController {
  /** How many pictures may arrive and be read at the same time. Each one is in memory, with at most 25 MiB. */
  private readonly reading = new BoundedConcurrency(4, 16, tooBusy);

  constructor(
    private readonly origins: PictureOrigins,
    private readonly kept: KeptCredentials,
  ) {}

  @Post('verify')
  @HttpCode(200)
  @UseGuards(NoIdempotencyKey)
  @RouteConfig({ streamsBody: true })
  @ApiTags('provenance')
  @ApiOperation({
    operationId: 'verifyPicture',
    summary: 'Where a picture comes from: a picture, or its SHA-256',
    description:
      'Send a picture as `multipart/form-data`, or its hash as JSON. The answer tells whether this service made it, for ' +
      'which job, and whether it was changed since; of an order by another account it does not tell whose it is. It reads ' +
      'Content Credentials (C2PA) of other services as well. The picture is not kept. Free.',
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': { schema: uploadedFile },
        'application/json': { schema: { $ref: getSchemaPath(VerifyBody) } },
      },
    },
  })
  @DescribeFixed(VerificationResponse)
  @DescribeErrors(401, 413, 415, 422)
  async verify(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<VerificationResponse> {
    if (request.isMultipart()) return this.reading.run(() => this.verifyPicture(caller, request));
    const { sha256 } = validate(VerifyBody, await readJsonBody(request), 'body');
    return this.judged(caller, sha256.toLowerCase(), undefined);
  }

  @Get('renders/:public_id/passport')
  @RequireCapability('jobs:read')
  @ApiTags('renders')
  @ApiOperation({
    operationId: 'getRenderPassport',
    summary: 'All that proves where the pictures of a job come from',
    description:
      'From the inputs to the pictures: the hash of each, the event that ordered them with the seal that covers it, and the ' +
      'Content Credentials. For jobs that have succeeded.',
  })
  @DescribePublicId('render')
  @DescribeFixed(PassportResponse)
  @DescribeErrors(401, 403, 404)
  async passport(
    @CurrentCaller() { environment, tenant }: Caller,
    @PublicId('render') publicId: string,
  ): Promise<PassportResponse> {
    const job = await this.origins.job(environment, publicId);
    if (job?.queued.tenant !== tenant || !job.succeeded?.provenance) throw notFound('render');
    const { queued, succeeded } = job;
    return {
      public_id: publicId,
      environment,
      workflow: queued.operation,
      engine: succeeded.provenance!.engine,
      model: succeeded.provenance!.model,
      ordered_at: queued.at,
      finished_at: succeeded.at,
      order: await this.orderOf(job),
      inputs: await this.inputsOf(environment, job),
      pictures: await this.picturesOf(job),
    };
  }

  private async verifyPicture(caller: Caller, request: FastifyRequest): Promise<VerificationResponse> {
    await using upload = await spoolUpload(request);
    const bytes = await readFile(upload.path);
    return await this.judged(caller, hash('sha256', bytes), readCredentials(bytes));
  }

  private async judged(
    caller: Caller,
    sha256: string,
    credentials: ReturnType<typeof readCredentials>,
  ): Promise<VerificationResponse> {
    const { verdict, picture } = await this.origins.recognise({ sha256, credentials }, caller);
    return {
      verdict,
      sha256,
      origin: picture ? await this.originOf(caller, picture) : null,
      credentials: credentials ? presentCredentials(credentials) : null,
    };
  }

  private async originOf(
    caller: Caller,
    { environment, stored }: KnownPicture,
  ): Promise<OriginResponse | null> {
    const { jobId, tenant, at } = stored;
    const job = jobId === null ? undefined : await this.origins.job(environment, jobId);
    if (!job) return null;
    const { queued, succeeded } = job;
    return {
      ordered_by: tenant === caller.tenant ? 'you' : 'another',
      environment,
      job_id: queued.jobId,
      workflow: queued.operation,
      engine: succeeded?.provenance?.engine ?? null,
      model: succeeded?.provenance?.model ?? null,
      created_at: at,
    };
  }

  private async orderOf({ ordered }: KnownJob): Promise<PassportResponse['order']> {
    const seal = await this.origins.sealOver(ordered);
    const { id, stream, revision, position } = ordered;
    return {
      event_id: id,
      stream,
      revision: Number(revision),
      position: String(position),
      seal: seal ? { number: seal.number, root: seal.root, key: seal.key, sealed_at: seal.sealedAt } : null,
    };
  }

  private inputsOf(environment: Environment, { queued }: KnownJob): Promise<PassportResponse['inputs']> {
    const inputs = queued.inputs.map(async ({ name, assetId, sha256, storageKey }) => {
      const available = await this.origins.has(storageKey);
      const arrived = await this.kept.of(environment, assetId);
      const credentials = arrived ? presentCredentials(arrived) : null;
      return { name, asset_id: assetId, sha256, available, credentials };
    });
    return Promise.all(inputs);
  }

  /** One after the other, because each is read as a whole. */
  private async picturesOf({ succeeded }: KnownJob): Promise<PassportResponse['pictures']> {
    const pictures: PassportResponse['pictures'] = [];
    for (const { assetId, kind, contentType, sha256, storageKey } of succeeded?.artifacts ?? []) {
      const credentials = await this.origins.credentialsOf(storageKey);
      pictures.push({
        asset_id: assetId,
        kind,
        content_type: contentType,
        sha256,
        available: credentials !== null,
        credentials: credentials ? presentCredentials(credentials) : null,
      });
    }
    return pictures;
  }
}
