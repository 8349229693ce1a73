import { Controller, Get, HttpCode, Inject, Patch, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Handled } from '#application/aggregate.js';
import { callerContext, type Caller, type CommandContext } from '#application/command-context.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { EventStore } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { newId } from '#platform/ids.js';
import { RequireCapability } from '#api/auth/api-key.guard.js';
import { CurrentCaller } from '#api/auth/caller.js';
import { ApiError, invalid, notFound } from '#api/http/api-error.js';
import { ConsistencyToken, tellWrite, unwrap } from '#api/http/consistency-token.js';
import {
  DescribeErrors,
  DescribeFixed,
  DescribePublicId,
  DescribeRead,
  DescribeWrite,
} from '#api/http/describe.js';
import { NoIdempotencyKey, PublicId, ValidBody, ValidQuery } from '#api/http/valid-request.js';
import { KnownReleases } from './known-releases.js';
import {
  GrantRelease,
  releaseOf,
  ReviseRelease,
  ruleOf,
  SetReleaseRule,
  WithdrawRelease,
} from './manage-releases.js';
import { feesOf, owedFor } from './release-fees.js';
import type { KnownRelease, Release, ReleaseRejection } from './release.js';
import {
  GrantReleaseBody,
  ListReleasesQuery,
  presentRelease,
  presentRule,
  presentUse,
  ReleaseListResponse,
  ReleaseResponse,
  ReleaseRuleBody,
  ReleaseRuleResponse,
  ReleaseTermsBody,
  ReleaseUsesQuery,
  ReleaseUsesResponse,
  WithdrawReleaseBody,
} from './releases.dto.js';
import { termsOf, upperCase } from './release-fields.js';
import { ReleasesReader } from './releases.reader.js';

const csvColumns = ['job_id', 'operation', 'status', 'used_at', 'fee_amount', 'fee_unit'];

const csvDescription = {
  schema: { type: 'string' as const },
  example: `${csvColumns.join()}\n01K9Z7J0V6X8Y2Z4A6B8C0D2EF,try-on,SUCCESS,2026-01-31T12:00:00.000Z,250,EUR\n`,
};

/** The most rows of a CSV. */
const mostRows = 100_000;

@ApiTags('releases')
@Controller('/v1/releases')
export class ReleasesController {
  constructor(
    private readonly store: EventStore,
    private readonly commands: CommandBus,
    private readonly consistency: ReadYourWrites,
    private readonly known: KnownReleases,
    private readonly reader: ReleasesReader,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Post()
  @UseGuards(NoIdempotencyKey)
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'createRelease',
    summary: 'Record what a person allows to be done with pictures',
    description: 'A person may have several releases; a dispatch needs one that covers it. Free.',
  })
  @ApiBody({ type: GrantReleaseBody, required: true })
  @DescribeWrite(201, ReleaseResponse)
  @DescribeErrors(401, 403, 413, 415, 422)
  async grant(
    @CurrentCaller() caller: Caller,
    @ValidBody(GrantReleaseBody) body: GrantReleaseBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReleaseResponse> {
    const granted = { ...termsOf(body), dataSubject: body.data_subject };
    const command = new GrantRelease(this.contextOf(caller, request), newId(), granted);
    return this.written(caller, await this.commands.execute(command), reply);
  }

  @Get()
  @RequireCapability('jobs:read')
  @ApiOperation({ operationId: 'listReleases', summary: 'Your releases, newest first' })
  @ApiQuery({ type: ListReleasesQuery })
  @DescribeRead(ReleaseListResponse)
  @DescribeErrors(401, 403, 422)
  async list(
    @CurrentCaller() caller: Caller,
    @ValidQuery(ListReleasesQuery) query: ListReleasesQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReleaseListResponse> {
    const { limit, offset, status, data_subject: dataSubject } = query;
    const filter = { limit, offset, status, dataSubject };
    const read = () => this.reader.list(caller.environment, caller.tenant, filter);
    const { items, total } = unwrap(await this.consistency.read(caller, 'releases', token, read), reply);
    return { items: items.map((each) => presentRelease(each, this.clock())), total, limit, offset };
  }

  @Get(':public_id')
  @RequireCapability('jobs:read')
  @ApiOperation({ operationId: 'getRelease', summary: 'One release' })
  @DescribePublicId('release')
  @DescribeFixed(ReleaseResponse)
  @DescribeErrors(401, 403, 404)
  async get(@CurrentCaller() caller: Caller, @PublicId('release') id: string): Promise<ReleaseResponse> {
    return presentRelease(await this.find(caller, id), this.clock());
  }

  @Post(':public_id/revise')
  @UseGuards(NoIdempotencyKey)
  @HttpCode(200)
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'reviseRelease',
    summary: 'State the terms of a release anew',
    description:
      'Terms that you leave out allow all. Jobs that have not begun, and that the new terms do not allow, are ' +
      'cancelled and refunded. Free.',
  })
  @ApiBody({ type: ReleaseTermsBody, required: true })
  @DescribePublicId('release')
  @DescribeWrite(200, ReleaseResponse)
  @DescribeErrors(401, 403, 404, '409 of a release', 413, 415, 422)
  async revise(
    @CurrentCaller() caller: Caller,
    @PublicId('release') id: string,
    @ValidBody(ReleaseTermsBody) body: ReleaseTermsBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReleaseResponse> {
    const command = new ReviseRelease(this.contextOf(caller, request), id, termsOf(body));
    return this.written(caller, await this.commands.execute(command), reply);
  }

  @Post(':public_id/withdraw')
  @UseGuards(NoIdempotencyKey)
  @HttpCode(200)
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'withdrawRelease',
    summary: 'End a release for good',
    description:
      'It allows nothing from this answer on. Jobs under it that have not begun are cancelled and refunded. Withdrawing ' +
      'again changes nothing. Free.',
  })
  @ApiBody({ type: WithdrawReleaseBody, required: true })
  @DescribePublicId('release')
  @DescribeWrite(200, ReleaseResponse)
  @DescribeErrors(401, 403, 404, 413, 415, 422)
  async withdraw(
    @CurrentCaller() caller: Caller,
    @PublicId('release') id: string,
    @ValidBody(WithdrawReleaseBody) { reason }: WithdrawReleaseBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReleaseResponse> {
    const command = new WithdrawRelease(this.contextOf(caller, request), id, { reason: reason ?? null });
    return this.written(caller, await this.commands.execute(command), reply);
  }

  @Get(':public_id/uses')
  @RequireCapability('jobs:read')
  @ApiOperation({
    operationId: 'listReleaseUses',
    summary: 'The jobs that were ordered under a release, newest first, and the fees that are owed for them',
    description: `As JSON, page by page, or all of a period as CSV (\`format=csv\`, at most ${mostRows} rows).`,
  })
  @DescribePublicId('release')
  @ApiQuery({ type: ReleaseUsesQuery })
  @DescribeRead(ReleaseUsesResponse, { 'text/csv': csvDescription })
  @DescribeErrors(401, 403, 404, 422)
  async uses(
    @CurrentCaller() caller: Caller,
    @PublicId('release') id: string,
    @ValidQuery(ReleaseUsesQuery) { since, until, format, limit, offset }: ReleaseUsesQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReleaseUsesResponse | string> {
    const { environment } = caller;
    await this.find(caller, id);
    const feeAt = await feesOf(this.store, environment, id);
    const period = { since, until };
    const page = format === 'csv' ? { limit: mostRows, offset: 0 } : { limit, offset };
    const read = () =>
      Promise.all([
        this.reader.uses(environment, id, period, page),
        this.reader.succeeded(environment, id, period),
      ]);
    const [{ items, total }, succeeded] = unwrap(
      await this.consistency.read(caller, 'release_uses', token, read),
      reply,
    );
    const uses = items.map((use) => presentUse(use, feeAt(use.releaseRevision)));
    if (format === 'json') return { items: uses, total, limit, offset, owed: owedFor(succeeded, feeAt) };
    if (total > mostRows) throw wrong(['query', 'since'], `must begin a period of at most ${mostRows} uses`);
    void reply.type('text/csv; charset=utf-8');
    const rows = uses.map(({ fee, ...use }) => ({ ...use, fee_amount: fee?.amount, fee_unit: fee?.unit }));
    return stringify(rows, { header: true, columns: csvColumns });
  }

  private async find({ environment, tenant }: Caller, releaseId: string): Promise<KnownRelease> {
    const release = await releaseOf(this.store, environment, tenant, releaseId);
    if (!release) throw notFound('release');
    return release;
  }

  /** The next dispatch of this process obeys the change. */
  private written(
    caller: Caller,
    handled: Handled<Release, ReleaseRejection>,
    reply: FastifyReply,
  ): ReleaseResponse {
    if (handled.kind === 'rejected') throw refusalOf(handled.rejection);
    const { state: release, revision, position } = handled;
    if (!release || revision === 'no-stream') throw new Error('a release was written and is not there');
    this.known.put(caller.environment, release, revision);
    tellWrite(this.consistency, caller, position, reply);
    return presentRelease(release, this.clock());
  }

  private contextOf(caller: Caller, { id }: FastifyRequest): CommandContext {
    return callerContext(caller, id, id, this.clock());
  }
}

function refusalOf({ code }: ReleaseRejection): ApiError {
  switch (code) {
    case 'RELEASE_NOT_FOUND':
      return notFound('release');
    case 'RELEASE_ENDED':
      return new ApiError(code, 'This release has ended. Nothing was changed: grant a new one.');
    case 'EXPIRY_PASSED':
      return wrong(['body', 'expires_at'], 'must be in the future');
    default:
      return code satisfies never;
  }
}

function wrong(loc: string[], msg: string): ApiError {
  return invalid([{ loc, msg, type: 'value' }]);
}

@ApiTags('releases')
@Controller('/v1/release-rule')
export class ReleaseRuleController {
  constructor(
    private readonly store: EventStore,
    private readonly commands: CommandBus,
    private readonly consistency: ReadYourWrites,
    private readonly known: KnownReleases,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Get()
  @RequireCapability('jobs:read')
  @ApiOperation({
    operationId: 'getReleaseRule',
    summary: 'Whether your dispatches about persons need a release',
  })
  @DescribeFixed(ReleaseRuleResponse)
  @DescribeErrors(401, 403)
  async get(@CurrentCaller() { environment, tenant }: Caller): Promise<ReleaseRuleResponse> {
    return presentRule(await ruleOf(this.store, environment, tenant));
  }

  @Patch()
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'updateReleaseRule',
    summary: 'Require releases, or not, and say what pictures are used for',
    description: 'Absent fields stay as they are. Holds for all dispatches after the answer. Free.',
  })
  @ApiBody({ type: ReleaseRuleBody, required: true })
  @DescribeWrite(200, ReleaseRuleResponse)
  @DescribeErrors(401, 403, 413, 415, 422)
  async update(
    @CurrentCaller() caller: Caller,
    @ValidBody(ReleaseRuleBody) { required, uses, territories }: ReleaseRuleBody,
    @Req() { id }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReleaseRuleResponse> {
    const { environment, tenant } = caller;
    const change = {
      ...(required !== undefined && { required }),
      ...(uses !== undefined && { uses }),
      ...(territories !== undefined && { territories: upperCase(territories) }),
    };
    const command = new SetReleaseRule(callerContext(caller, id, id, this.clock()), tenant, change);
    const handled = await this.commands.execute(command);
    const { state, revision, position } = acceptedRule(handled);
    if (revision !== 'no-stream') this.known.putRule(environment, tenant, state, revision);
    tellWrite(this.consistency, caller, position, reply);
    return presentRule(state);
  }
}

function acceptedRule<State>(handled: Handled<State, never>) {
  if (handled.kind === 'rejected') throw new Error('a rule is never rejected');
  return handled;
}
