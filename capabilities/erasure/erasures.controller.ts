import { finished } from 'node:stream/promises';
import {
  Controller,
  createParamDecorator,
  Delete,
  Get,
  HttpCode,
  Inject,
  Req,
  Res,
  StreamableFile,
  type ExecutionContext,
} from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequireCapability } from '#api/auth/api-key.guard.js';
import { CurrentCaller } from '#api/auth/caller.js';
import { ApiError, notFound } from '#api/http/api-error.js';
import { parseIdempotencyKey } from '#api/dispatch/dispatch-headers.js';
import { tellWrite } from '#api/http/consistency-token.js';
import { DescribeErrors, describedHeaders, DescribeFixed, DescribePublicId } from '#api/http/describe.js';
import { BoundedConcurrency } from '#platform/bounded-concurrency.js';
import { EmptyBody, PublicId, ValidQuery } from '#api/http/valid-request.js';
import type { Caller } from '#application/command-context.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { longestDataSubject } from '#domain/data-subject.js';
import { Clock } from '#platform/clock.js';
import type { ErasureTarget } from './erasure.events.js';
import {
  ErasureEstimateResponse,
  ErasureQuery,
  ErasureResponse,
  presentErasure,
  ReceiptResponse,
  RequestedErasureResponse,
} from './erasures.dto.js';
import { Erasures } from './manage-erasures.handler.js';
import { PersonArchive } from './person-archive.js';
import { Persons } from './persons.js';
import { receiptOf } from './receipt.js';
import { ErasureRequests, type ErasureAnswer } from './request-erasure.js';

type Answer = RequestedErasureResponse | ErasureEstimateResponse;

const about =
  'Answered at once; `GET /v1/erasures/{public_id}` follows it. Afterwards reads give 410, and a dispatch that names it is ' +
  'refused with 410, nothing charged. It cannot be undone. Charges stay. Free.';

const DescribePersonName = ApiParam({
  name: 'name',
  description:
    'Your own name for the person, as in `data_subject`, percent-encoded. Proxies may log paths: use names that say nothing.',
  schema: { type: 'string', minLength: 1, maxLength: longestDataSubject },
  example: 'customer-4711',
});

/** A name that no thing can have is like one that none has: 404. */
const PersonName = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: { name?: string } }>>();
  const name = params.name ?? '';
  if (name === '' || name.includes('\0') || [...name].length > longestDataSubject)
    throw notFound('data subject');
  return name;
});

/** @param what has an id in the path; undefined: the path names a person */
const DescribeErasure = (summary: string, operationId: string, what: string | undefined): MethodDecorator => {
  const decorators = [
    HttpCode(202),
    RequireCapability('data:erase'),
    ApiOperation({ operationId, summary, description: about }),
    ApiQuery({ type: ErasureQuery }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'A repeat with the same key within 24 hours gives the first answer, and begins no second erasure.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    }),
    what === undefined ? DescribePersonName : DescribePublicId(what),
    DescribeFixed(ErasureEstimateResponse, { description: 'With `dry_run`: what would be erased.' }),
    ApiResponse({
      status: 202,
      description: 'The erasure has begun.',
      type: RequestedErasureResponse,
      headers: {
        ...describedHeaders('X-Consistency-Token'),
        Location: { description: 'The erasure.', schema: { type: 'string' } },
        'Idempotent-Replayed': {
          description: '`true`: an earlier request with the same Idempotency-Key began it. Otherwise absent.',
          schema: { type: 'string', enum: ['true'] },
        },
      },
    }),
    DescribeErrors(401, 403, 404, '409 of an erasure', 413, '422 of a dispatch'),
  ];
  return (target, name, descriptor) => {
    for (const decorate of decorators) decorate(target, name, descriptor);
  };
};

function tooBusy(why: string): ApiError {
  return new ApiError(
    'SERVICE_UNAVAILABLE',
    `${why} Nothing was erased. Send the request again in a moment.`,
    {
      headers: { 'retry-after': '2' },
    },
  );
}

@ApiTags('erasures')
@Controller('/v1')
export class ErasuresController {
  private readonly writing = new BoundedConcurrency(4, 16, () =>
    tooBusy('Too many archives are being written at the same time.'),
  );

  constructor(
    private readonly requests: ErasureRequests,
    private readonly erasures: Erasures,
    private readonly persons: Persons,
    private readonly archives: PersonArchive,
    private readonly consistency: ReadYourWrites,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Delete('uploads/:public_id')
  @DescribeErasure('Erase an uploaded picture for good', 'eraseUpload', 'upload')
  eraseUpload(
    @CurrentCaller() caller: Caller,
    @PublicId('upload') id: string,
    @ValidQuery(ErasureQuery) query: ErasureQuery,
    @EmptyBody() _body: undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    return this.erase(caller, [{ kind: 'upload', id }], query, request, reply);
  }

  @Delete('renders/:public_id')
  @DescribeErasure('Erase the finished picture of a job for good', 'eraseRender', 'render')
  eraseRender(
    @CurrentCaller() caller: Caller,
    @PublicId('render') id: string,
    @ValidQuery(ErasureQuery) query: ErasureQuery,
    @EmptyBody() _body: undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    return this.erase(caller, [{ kind: 'render', id }], query, request, reply);
  }

  @Delete('jobs/:public_id')
  @DescribeErasure(
    'Erase all pictures and words of a job for good; a job that has not ended is cancelled and refunded',
    'eraseJob',
    'job',
  )
  eraseJob(
    @CurrentCaller() caller: Caller,
    @PublicId('job') id: string,
    @ValidQuery(ErasureQuery) query: ErasureQuery,
    @EmptyBody() _body: undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    return this.erase(caller, [{ kind: 'job', id }], query, request, reply);
  }

  @Delete('products/:public_id')
  @DescribeErasure(
    'Erase the words of a product for good; its pictures only with `derived`',
    'eraseProduct',
    'product',
  )
  eraseProduct(
    @CurrentCaller() caller: Caller,
    @PublicId('product') id: string,
    @ValidQuery(ErasureQuery) query: ErasureQuery,
    @EmptyBody() _body: undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    return this.erase(caller, [{ kind: 'product', id }], query, request, reply);
  }

  @Delete('data-subjects/:name')
  @DescribeErasure('Erase everything that belongs to a person', 'eraseDataSubject', undefined)
  async erasePerson(
    @CurrentCaller() caller: Caller,
    @PersonName() name: string,
    @ValidQuery(ErasureQuery) query: ErasureQuery,
    @EmptyBody() _body: undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    await this.refuseUnlessShown(caller);
    const found = await this.persons.someThingsOf(caller, name);
    if (query.dry_run && found.things.length === 0) throw notFound('data subject');
    const answer = await this.erase(caller, found.things, query, request, reply, name);
    return found.more ? { ...answer, more: true } : answer;
  }

  @Get('data-subjects/:name')
  @RequireCapability('data:erase')
  @ApiOperation({
    operationId: 'getDataSubject',
    summary: 'Everything that belongs to a person, as a ZIP',
    description:
      'For a request for access or portability: the events of each upload, job and product as JSON, and the pictures. An ' +
      'archive that ends early, because of an error, is no valid ZIP.',
  })
  @DescribePersonName
  @ApiResponse({
    status: 200,
    description: 'The archive.',
    content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
  })
  @DescribeErrors(401, 403, 404)
  async person(@CurrentCaller() caller: Caller, @PersonName() name: string): Promise<StreamableFile> {
    await this.refuseUnlessShown(caller);
    const first = await this.persons.thingsOf(caller, name).next();
    if (first.done) throw notFound('data subject');
    const { promise, resolve, reject } = Promise.withResolvers<StreamableFile>();
    const write = async () => {
      const archive = this.archives.of(caller, name, this.persons.thingsOf(caller, name), this.clock());
      const disposition = 'attachment; filename="person.zip"';
      resolve(new StreamableFile(archive, { type: 'application/zip', disposition }));
      // A reader that leaves, and an error that cuts the archive off, end it as well.
      await finished(archive).catch(() => undefined);
    };
    this.writing.run(write).catch(reject);
    return promise;
  }

  @Get('erasures/:public_id')
  @RequireCapability('jobs:read')
  @ApiOperation({ operationId: 'getErasure', summary: 'How far an erasure is' })
  @DescribePublicId('erasure')
  @DescribeFixed(ErasureResponse)
  @DescribeErrors(401, 403, 404)
  async get(
    @CurrentCaller() caller: Caller,
    @PublicId('erasure') erasureId: string,
  ): Promise<ErasureResponse> {
    return presentErasure(await this.find(caller, erasureId));
  }

  @Get('erasures/:public_id/receipt')
  @RequireCapability('jobs:read')
  @ApiOperation({
    operationId: 'getErasureReceipt',
    summary: 'The receipt of an erasure that is complete: what was erased, and what remains elsewhere',
    description:
      'Signed. `atelier erasures verify` checks it without the service. Until it is complete: 404.',
  })
  @DescribePublicId('erasure')
  @DescribeFixed(ReceiptResponse)
  @DescribeErrors(401, 403, 404)
  async receipt(
    @CurrentCaller() caller: Caller,
    @PublicId('erasure') erasureId: string,
  ): Promise<ReceiptResponse> {
    const erasure = await this.find(caller, erasureId);
    if (erasure.status !== 'completed') throw notFound('receipt yet: the erasure is not complete');
    const { receipt: text, key, signature } = erasure.completed;
    return receiptOf({ text, key, signature });
  }

  /** @throws ApiError 503 */
  private async refuseUnlessShown(caller: Caller): Promise<void> {
    if (!(await this.persons.areShown(caller))) throw tooBusy(notShown);
  }

  private async find(caller: Caller, erasureId: string) {
    const erasure = await this.erasures.find(caller, erasureId);
    if (!erasure) throw notFound('erasure');
    return erasure;
  }

  private async erase(
    caller: Caller,
    targets: readonly ErasureTarget[],
    { derived, dry_run: dryRun }: ErasureQuery,
    { id: requestId, headers, routeOptions }: FastifyRequest,
    reply: FastifyReply,
    person?: string,
  ): Promise<Answer> {
    if (dryRun) {
      const estimate = await this.requests.estimate({ caller, targets, derived, person });
      if (estimate.kind !== 'estimated') throw refusal(estimate);
      void reply.status(200);
      return { dry_run: true, ...estimate.size };
    }
    const key = parseIdempotencyKey(headers['idempotency-key']);
    const endpoint = `DELETE ${routeOptions.url ?? ''}`;
    const asks = person === undefined ? { targets } : { person };
    const asked = { caller, targets, derived, person, asks, requestId, at: this.clock() };
    const { erasureId, position, replayed } = acceptedOrRefused(
      await this.requests.request(asked, endpoint, key),
    );
    tellWrite(this.consistency, caller, position, reply);
    void reply.header('location', `/v1/erasures/${erasureId}`);
    if (replayed) void reply.header('idempotent-replayed', 'true');
    return { erasure_id: erasureId, status: 'running' };
  }
}

const notShown = 'The newest uploads, jobs and products are not yet shown.';

function refusal(answer: Extract<ErasureAnswer, { kind: 'unknown' | 'held' }>): ApiError {
  if (answer.kind === 'unknown') return notFound(answer.what);
  const { jobId } = answer.hold;
  const on = jobId === null ? 'a person' : `job ${jobId}`;
  const message =
    `A legal hold on ${on} covers something that this would erase. Nothing was erased: ask your operator, and send the ` +
    'request again once the hold is lifted.';
  return new ApiError('LEGAL_HOLD', message);
}

/** @throws ApiError for every answer but a request that was accepted */
function acceptedOrRefused(answer: ErasureAnswer): Extract<ErasureAnswer, { kind: 'requested' }> {
  switch (answer.kind) {
    case 'requested':
      return answer;
    case 'unknown':
    case 'held':
      throw refusal(answer);
    case 'not-shown':
      throw tooBusy(`${notShown} Nothing was erased.`);
    case 'key-in-use':
      throw new ApiError(
        'IDEMPOTENCY_KEY_IN_USE',
        'A request with this Idempotency-Key is still in progress. Send yours again in a moment: it gets the same answer.',
        { headers: { 'retry-after': '1' } },
      );
    case 'key-reused': {
      const msg = 'was used for another erasure. Use a new key for a new request';
      const detail = [{ loc: ['header', 'Idempotency-Key'], msg, type: 'value' }];
      throw new ApiError('IDEMPOTENCY_KEY_REUSED', `This Idempotency-Key ${msg}. Nothing was erased.`, {
        detail,
      });
    }
    default:
      return answer satisfies never;
  }
}
