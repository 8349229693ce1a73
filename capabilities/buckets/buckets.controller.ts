import { Controller, Delete, Get, HttpCode, Inject, Post, Put, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerContext, type Caller, type CommandContext } from '#application/command-context.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { EventStore } from '#event-store/event-store.js';
import { TenantPlaces } from '#platform/bounded-concurrency.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { newId } from '#platform/ids.js';
import { RequireCapability } from '#api/auth/api-key.guard.js';
import { CurrentCaller } from '#api/auth/caller.js';
import { ApiError, invalid, notFound } from '#api/http/api-error.js';
import { tellWrite } from '#api/http/consistency-token.js';
import { DescribeErrors, DescribeFixed, DescribeWrite } from '#api/http/describe.js';
import { EmptyBody, NoIdempotencyKey, ValidBody } from '#api/http/valid-request.js';
import { sealSecret } from './bucket-secret.js';
import type { ConnectedBucket } from './bucket.js';
import {
  BucketResponse,
  BucketTestResponse,
  complaintAboutForm,
  ConnectBucketBody,
  presentBucket,
} from './buckets.dto.js';
import { bucketOf, ConnectBucket, DisconnectBucket } from './manage-buckets.js';
import { Pushes } from './pushes.js';
import { failureOf, TenantBuckets } from './tenant-buckets.js';

/** A test has a caller who waits. */
const testMs = 10_000;

const tooBusy = () =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    'Too many buckets are tested at the moment. Nothing was changed: try again in some seconds.',
  );

@ApiTags('bucket')
@Controller('/v1/bucket')
export class BucketsController {
  /** Tests wait for other people's servers. */
  private readonly testing = new TenantPlaces(16, 2, tooBusy);

  constructor(
    private readonly store: EventStore,
    private readonly commands: CommandBus,
    private readonly consistency: ReadYourWrites,
    private readonly buckets: TenantBuckets,
    private readonly pushes: Pushes,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Put()
  @UseGuards(NoIdempotencyKey)
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'connectBucket',
    summary: 'Have the pictures of your jobs pushed to a bucket of yours',
    description:
      'Final pictures of jobs that end from now on are written to `{prefix}{job_id}/{asset_id}.{ext}`, at least once, with a ' +
      '`job.json` after them. Sending the settings again pushes what has failed. Addresses in private and local networks ' +
      'are refused, here and at each call. Free.',
  })
  @ApiBody({ type: ConnectBucketBody, required: true })
  @DescribeWrite(200, BucketResponse)
  @DescribeErrors(401, 403, 413, 415, 422)
  async connect(
    @CurrentCaller() caller: Caller,
    @ValidBody(ConnectBucketBody) body: ConnectBucketBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BucketResponse> {
    const { environment, tenant } = caller;
    const signingKey = this.signingKey();
    const malformed = complaintAboutForm(body);
    if (malformed) throw wrong(...malformed);
    const complaint = await this.buckets.complaintAbout(environment, body.endpoint);
    if (complaint !== undefined) throw wrong('endpoint', complaint);
    const { region, bucket, prefix, access_key_id: accessKeyId, force_path_style: forcePathStyle } = body;
    const { origin: endpoint } = new URL(body.endpoint);
    const terms = { endpoint, region, bucket, prefix, forcePathStyle, accessKeyId };
    const sealedSecret = sealSecret(signingKey, environment, tenant, terms, body.secret_access_key);
    const command = new ConnectBucket(this.contextOf(caller, request), tenant, { ...terms, sealedSecret });
    const handled = await this.commands.execute(command);
    if (handled.kind === 'rejected' || !handled.state)
      throw new Error('a bucket was connected and is not there');
    tellWrite(this.consistency, caller, handled.position, reply);
    return this.present(caller, handled.state);
  }

  @Get()
  @RequireCapability('jobs:read')
  @ApiOperation({
    operationId: 'getBucket',
    summary: 'Your bucket without its secret, and how the last pushes went',
  })
  @DescribeFixed(BucketResponse)
  @DescribeErrors(401, 403, 404)
  async get(@CurrentCaller() caller: Caller): Promise<BucketResponse> {
    return this.present(caller, await this.find(caller));
  }

  @Delete()
  @HttpCode(204)
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'disconnectBucket',
    summary: 'Stop pushing pictures to your bucket',
    description: 'What waits is not pushed any more. Pictures in the bucket stay there.',
  })
  @DescribeWrite(204)
  @DescribeErrors(401, 403, 404, 413, 422)
  async disconnect(
    @CurrentCaller() caller: Caller,
    @EmptyBody() _body: undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const command = new DisconnectBucket(this.contextOf(caller, request), caller.tenant, undefined);
    const handled = await this.commands.execute(command);
    if (handled.kind === 'rejected') throw notFound('bucket');
    tellWrite(this.consistency, caller, handled.position, reply);
  }

  @Post('test')
  @UseGuards(NoIdempotencyKey)
  @HttpCode(200)
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'testBucket',
    summary: 'Write a small object to your bucket, and delete it again',
    description:
      'The answer is 200 whether the bucket works or not: look at `works`. It takes at most 20 seconds.',
  })
  @ApiBody({ required: false, schema: { type: 'object', additionalProperties: false } })
  @DescribeFixed(BucketTestResponse, { description: 'Tried.' })
  @DescribeErrors(401, 403, 404, 413, 415, 422)
  async test(
    @CurrentCaller() caller: Caller,
    @EmptyBody() _body: undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BucketTestResponse> {
    const { environment, tenant } = caller;
    const bucket = await this.find(caller);
    const left = new AbortController();
    reply.raw.once('close', () => left.abort());
    const limits = { environment, tenant, timeoutMs: testMs, signal: left.signal };
    const failure = await this.testing.run(tenant, () =>
      failureOf(async () => {
        using opened = await this.buckets.open(bucket, limits);
        const key = `${bucket.prefix}atelier-test-${newId()}.txt`;
        await opened.put(key, 'This object shows that Atelier can write here.\n', 'text/plain');
        await opened.remove(key);
      }),
    );
    if (!failure) return { works: true, status_code: null, error: null };
    return { works: false, status_code: failure.statusCode, error: failure.message };
  }

  private async find({ environment, tenant }: Caller): Promise<ConnectedBucket> {
    const bucket = await bucketOf(this.store, environment, tenant);
    if (!bucket) throw notFound('bucket');
    return bucket;
  }

  private async present({ environment, tenant }: Caller, bucket: ConnectedBucket): Promise<BucketResponse> {
    return presentBucket(bucket, await this.pushes.stateOf(environment, tenant));
  }

  private contextOf(caller: Caller, { id }: FastifyRequest): CommandContext {
    return callerContext(caller, id, id, this.clock());
  }

  private signingKey(): string {
    const { signingKey } = this.configuration;
    if (signingKey !== undefined) return signingKey;
    const message =
      'Secrets cannot be kept here: the operator has to set ATELIER_SIGNING_KEY. Nothing was changed.';
    throw new ApiError('SERVICE_UNAVAILABLE', message);
  }
}

function wrong(field: string, msg: string): ApiError {
  return invalid([{ loc: ['body', field], msg, type: 'value' }]);
}
