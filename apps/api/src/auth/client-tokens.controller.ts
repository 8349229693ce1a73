import { Controller, Inject, Post, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import type { Caller, ClientScope } from '#application/command-context.js';
import { JobQueries } from '#application/job/job-queries.js';
import { Clock } from '#platform/clock.js';
import { newId } from '#platform/ids.js';
import { ChoiceField, IdField, IntegerField } from '#validation/fields.js';
import { equal, given, implies, noneOf, Relations } from '#validation/relations.js';
import { ApiError, notFound } from '../http/api-error.js';
import { DescribeErrors, DescribeWrite } from '../http/describe.js';
import { NoIdempotencyKey, ValidBody } from '../http/valid-request.js';
import { RequireCapability } from './api-key.guard.js';
import { CurrentCaller } from './caller.js';
import { ClientTokens } from './client-tokens.js';

const purposes = ['upload', 'job'] as const;

@Relations(
  implies(equal('purpose', 'job'), given('job_id'), {
    field: 'job_id',
    msg: 'is required with purpose job',
    type: 'missing',
  }),
  noneOf(['job_id'], equal('purpose', 'upload'), 'is not allowed with purpose upload'),
)
export class CreateClientTokenBody {
  @ChoiceField({
    description: '`upload`: one `POST /v1/uploads`. `job`: `GET /v1/jobs/{job_id}` and its events.',
    values: purposes,
    name: 'ClientTokenPurpose',
    required: true,
  })
  purpose: ClientScope['kind'];

  @IdField({ description: 'With purpose `job`: the job, which must be one of yours.' })
  job_id?: string;

  @IntegerField({
    description: 'Seconds until the token ends.',
    min: 10,
    max: 3_600,
    default: 600,
    example: 600,
  })
  expires_in: number = 600;
}

export class ClientTokenResponse {
  @ApiProperty({
    description: 'Send it in place of a key: `Authorization: Bearer …`.',
    example: 'ct_test_01K9Z7G1T9C4W6X2Y8A5S3D7FH_upload_01K9Z7J0V4M2Q8T6R3N5B1C7DE_1790000000_3q2-7w…',
  })
  token: string;

  @ApiProperty({ enum: [...purposes], enumName: 'ClientTokenPurpose' })
  purpose: ClientScope['kind'];

  @ApiPropertyOptional({ description: 'With purpose `job`.', example: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF' })
  job_id?: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:10:00.000Z' })
  expires_at: string;
}

@ApiTags('account')
@Controller('/v1/client-tokens')
export class ClientTokensController {
  constructor(
    private readonly tokens: ClientTokens,
    private readonly jobs: JobQueries,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Post()
  @UseGuards(NoIdempotencyKey)
  @RequireCapability('jobs:create')
  @ApiOperation({
    summary: 'Create a short-lived token for a browser, for one upload or one job',
    description:
      'Your server creates the token and gives it to a page, so the page never sees a key. The token ends early when its ' +
      'key is revoked. An upload that is repeated with the same token gets the first answer. The page must come from an origin that the ' +
      'operator allows (`CORS_ORIGINS`).',
  })
  @ApiBody({ type: CreateClientTokenBody, required: true })
  @DescribeWrite(201, ClientTokenResponse)
  @DescribeErrors(401, 403, 404, 413, 415, 422)
  async createClientToken(
    @CurrentCaller() caller: Caller,
    @ValidBody(CreateClientTokenBody) { purpose, job_id: jobId, expires_in: seconds }: CreateClientTokenBody,
  ): Promise<ClientTokenResponse> {
    if (jobId !== undefined && !(await this.jobs.get(caller, jobId))) throw notFound('job');
    const end = new Date(this.clock().getTime() + seconds * 1_000);
    const token = this.tokens.issue(caller, { kind: purpose, id: jobId ?? newId() }, end);
    if (token === undefined) {
      const why = 'its operator has set no ATELIER_SIGNING_KEY';
      throw new ApiError('BAD_REQUEST', `This installation makes no client tokens: ${why}.`);
    }
    return { token, purpose, ...(jobId !== undefined && { job_id: jobId }), expires_at: end.toISOString() };
  }
}
