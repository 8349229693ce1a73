import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { RequireCapability } from '#api/auth/api-key.guard.js';
import { CurrentCaller } from '#api/auth/caller.js';
import { invalid } from '#api/http/api-error.js';
import { ConsistencyToken, unwrap } from '#api/http/consistency-token.js';
import { DescribeErrors, DescribeRead } from '#api/http/describe.js';
import { PageQuery, ValidQuery } from '#api/http/valid-request.js';
import type { Caller } from '#application/command-context.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { Clock } from '#platform/clock.js';
import { keyCharges } from './key-charges.read-model.js';
import {
  KeyListResponse,
  KeySpendingListResponse,
  KeySpendingQuery,
  presentKey,
  presentSpending,
} from './keys.dto.js';
import { OwnKeysReader, type Period } from './own-keys.reader.js';

const dayMs = 24 * 60 * 60_000;
const usualDays = 30;
/** A year, leap or not. It bounds the charges that one request sums up. */
const mostDays = 366;

@ApiTags('keys')
@Controller('/v1')
export class KeysController {
  constructor(
    private readonly reader: OwnKeysReader,
    private readonly consistency: ReadYourWrites,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Get('keys')
  @RequireCapability('jobs:read')
  @ApiOperation({
    operationId: 'listKeys',
    summary: 'Your keys in this environment, newest first',
    description:
      'Those that retired or were revoked as well. Your operator makes, rotates and revokes keys: no key can do that.',
  })
  @ApiQuery({ type: PageQuery })
  @DescribeRead(KeyListResponse)
  @DescribeErrors(401, 403, 422)
  async list(
    @CurrentCaller() caller: Caller,
    @ValidQuery(PageQuery) { limit, offset }: PageQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeyListResponse> {
    const read = () => this.reader.list(caller, { limit, offset });
    const { items, total } = unwrap(await this.consistency.read(caller, 'keys', token, read), reply);
    const now = this.clock();
    return { items: items.map((each) => presentKey(each, caller, now)), total, limit, offset };
  }

  @Get('usage/by-key')
  @RequireCapability('jobs:read')
  @ApiOperation({
    operationId: 'listSpendingByKey',
    summary: 'What each of your keys has spent in a period, the largest sum first',
    description:
      'A charge belongs to the moment of its dispatch, and its refund to the same moment, whenever it came.',
  })
  @ApiQuery({ type: KeySpendingQuery })
  @DescribeRead(KeySpendingListResponse)
  @DescribeErrors(401, 403, 422)
  async spending(
    @CurrentCaller() caller: Caller,
    @ValidQuery(KeySpendingQuery) query: KeySpendingQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeySpendingListResponse> {
    const { limit, offset } = query;
    const period = periodOf(query, this.clock());
    const read = () => this.reader.spending(caller, period, { limit, offset });
    const { items, total } = unwrap(await this.consistency.read(caller, keyCharges, token, read), reply);
    const [since, until] = [period.from.toISOString(), period.to.toISOString()];
    return { items: items.map(presentSpending), total, limit, offset, since, until };
  }
}

/** @throws ApiError 422 */
function periodOf({ since, until }: KeySpendingQuery, now: Date): Period {
  const to = until === undefined ? now : new Date(until);
  const from =
    since === undefined ? new Date(Math.max(0, to.getTime() - usualDays * dayMs)) : new Date(since);
  const lengthMs = to.getTime() - from.getTime();
  const msg =
    lengthMs <= 0
      ? 'must be before the end of the period'
      : lengthMs > mostDays * dayMs
        ? `must be at most ${mostDays} days before the end of the period`
        : undefined;
  if (msg !== undefined) throw invalid([{ loc: ['query', 'since'], msg, type: 'value' }]);
  return { from, to };
}
