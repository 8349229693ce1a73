import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import type { Caller } from '#application/command-context.js';
import { RequireCapability } from '#api/auth/api-key.guard.js';
import { CurrentCaller } from '#api/auth/caller.js';
import { ConsistencyToken, unwrap } from '#api/http/consistency-token.js';
import { DescribeErrors, DescribeRead } from '#api/http/describe.js';
import { TallyReader, type Tally } from './tally.reader.js';

class TalliedWorkflow implements Tally {
  @ApiProperty({ example: 'try-on' })
  workflow: string;

  @ApiProperty({ example: 12 })
  jobs: number;
}

class TallyResponse {
  @ApiProperty({ type: [TalliedWorkflow] })
  items: readonly TalliedWorkflow[];
}

@ApiTags('tally')
@Controller('/v1/tally')
export class TallyController {
  constructor(
    private readonly consistency: ReadYourWrites,
    private readonly reader: TallyReader,
  ) {}

  @Get()
  @RequireCapability('jobs:read')
  @ApiOperation({ operationId: 'getTally', summary: 'How many jobs you have ordered of each workflow' })
  @DescribeRead(TallyResponse)
  @DescribeErrors(401, 403)
  async get(
    @CurrentCaller() caller: Caller,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TallyResponse> {
    // With the token of a dispatch, the answer counts that dispatch.
    const read = () => this.reader.of(caller.environment, caller.tenant);
    return { items: unwrap(await this.consistency.read(caller, 'tally', token, read), reply) };
  }
}
