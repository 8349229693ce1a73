import { Controller, Get, Inject, Patch, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequireCapability } from '#api/auth/api-key.guard.js';
import { CurrentCaller } from '#api/auth/caller.js';
import { invalid } from '#api/http/api-error.js';
import { tellWrite } from '#api/http/consistency-token.js';
import { DescribeErrors, DescribeFixed, DescribeWrite } from '#api/http/describe.js';
import { NoIdempotencyKey, ValidBody } from '#api/http/valid-request.js';
import { callerContext, type Caller } from '#application/command-context.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { EventStore } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { ChangeRetention, retentionOf } from './manage-keeping.js';
import { changeIn, presentRetention, RetentionBody, RetentionResponse } from './retention.dto.js';

@ApiTags('erasures')
@Controller('/v1/retention')
export class RetentionController {
  constructor(
    private readonly store: EventStore,
    private readonly commands: CommandBus,
    private readonly consistency: ReadYourWrites,
    @Inject(Configuration) private readonly configuration: Pick<Configuration, 'keeping'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Get()
  @RequireCapability('jobs:read')
  @ApiOperation({ operationId: 'getRetention', summary: 'For how long your pictures and words are kept' })
  @DescribeFixed(RetentionResponse)
  @DescribeErrors(401, 403)
  async get(@CurrentCaller() { environment, tenant }: Caller): Promise<RetentionResponse> {
    return presentRetention(await retentionOf(this.store, environment, tenant), this.configuration.keeping);
  }

  @Patch()
  @UseGuards(NoIdempotencyKey)
  @RequireCapability('data:erase')
  @ApiOperation({
    operationId: 'updateRetention',
    summary: 'Change for how long your pictures and words are kept',
    description:
      'Kinds that are left out stay as they are. The change applies to what is there already: what is older is erased ' +
      'within minutes, for good. Charges stay. Free.',
  })
  @ApiBody({ type: RetentionBody, required: true })
  @DescribeWrite(200, RetentionResponse)
  @DescribeErrors(401, 403, 413, 415, 422)
  async update(
    @CurrentCaller() caller: Caller,
    @ValidBody(RetentionBody) body: RetentionBody,
    @Req() { id }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RetentionResponse> {
    const { keeping } = this.configuration;
    const change = { days: changeIn(body), most: keeping.most };
    const context = callerContext(caller, id, id, this.clock());
    const handled = await this.commands.execute(new ChangeRetention(context, caller.tenant, change));
    if (handled.kind === 'rejected') {
      const { kind, most } = handled.rejection;
      const msg = `must be at most ${most}: the operator keeps ${kind} for no longer`;
      throw invalid([{ loc: ['body', kind], msg, type: 'value' }]);
    }
    tellWrite(this.consistency, caller, handled.position, reply);
    return presentRetention(handled.state, keeping);
  }
}
