import { Controller, Get, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtraModels, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequireCapability } from '#api/auth/api-key.guard.js';
import { CurrentCaller } from '#api/auth/caller.js';
import { ApiError, notFound } from '#api/http/api-error.js';
import { DescribeErrors, DescribeFixed, DescribePublicId } from '#api/http/describe.js';
import { readJsonBody } from '#api/http/request-body.js';
import { prefersOverJson } from '#api/http/preferred-type.js';
import { NoIdempotencyKey, PublicId } from '#api/http/valid-request.js';
import { BoundedConcurrency } from '#platform/bounded-concurrency.js';
import type { Caller } from '#application/command-context.js';
import { Clock } from '#platform/clock.js';
import { validate } from '#validation/validate.js';
import { passportPage } from './passport-page.js';
import { Passports } from './passports.js';
import { PassportResponse, VerificationResponse, VerifyBody } from './provenance.dto.js';
import { Verification, VerificationPlaces } from './verification.js';

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
  private readonly places = new VerificationPlaces(new BoundedConcurrency(4, 16, tooBusy));

  constructor(
    private readonly verification: Verification,
    private readonly passports: Passports,
    @Inject(Clock) private readonly clock: Clock,
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
    if (request.isMultipart()) return this.verification.ofUpload(caller, request, this.places);
    const { sha256 } = validate(VerifyBody, await readJsonBody(request), 'body');
    return this.verification.of(caller, sha256.toLowerCase());
  }

  @Get('renders/:public_id/passport')
  @RequireCapability('jobs:read')
  @ApiTags('renders')
  @ApiOperation({
    operationId: 'getRenderPassport',
    summary: 'All that proves where the pictures of a job come from',
    description:
      'From the inputs to the pictures: the hash of each, the event that ordered them with the seal that covers it, and the ' +
      'Content Credentials. For jobs that have succeeded. With `Accept: application/pdf` as one page to print.',
  })
  @DescribePublicId('render')
  @DescribeFixed(PassportResponse, {
    alsoAs: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } },
  })
  @DescribeErrors(401, 403, 404)
  async passport(
    @CurrentCaller() { environment, tenant }: Caller,
    @PublicId('render') publicId: string,
    @Req() { headers: { accept } }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PassportResponse | Buffer> {
    const passport = await this.passports.of(environment, publicId, tenant);
    if (!passport) throw notFound('render');
    // The URL has two representations, and a cache must distinguish them.
    void reply.header('vary', 'accept');
    if (!prefersOverJson('application/pdf', accept)) return passport;
    void reply.header('content-type', 'application/pdf');
    return passportPage(passport, this.clock());
  }
}
