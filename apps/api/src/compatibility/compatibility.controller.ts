import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#application/caller.js';
import { CheckCompatibility } from '#application/compatibility/check-compatibility.handler.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribeRead } from '../docs/describe.js';
import { notFound } from '../errors/api-error.js';
import { ConsistencyToken } from '../http/consistency-token.js';
import { unwrap } from '../http/staleness.js';
import { ValidBody } from '../validation/valid-request.js';
import { CompatibilityCheckBody, CompatibilityCheckResponse } from './compatibility.dto.js';

@ApiTags('catalog')
@Controller('/v1/compatibility')
@RequireCapability('jobs:read')
export class CompatibilityController {
  constructor(private readonly queries: QueryBus) {}

  @Post('check')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'checkCompatibility',
    summary: 'Which complementary garments may appear with a product',
    description: 'Changes nothing and costs nothing.',
  })
  @ApiBody({ type: CompatibilityCheckBody, required: true })
  @DescribeRead(CompatibilityCheckResponse)
  @DescribeErrors(401, 403, 404, 413, 415, 422)
  async check(
    @CurrentCaller() caller: Caller,
    @ValidBody(CompatibilityCheckBody) body: CompatibilityCheckBody,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CompatibilityCheckResponse> {
    const { product_garment_category_public_id: category, candidate_complementary_image_public_ids: ids } =
      body;
    const checked = await this.queries.execute(new CheckCompatibility(caller, category, ids, token));
    if (!checked) throw notFound('garment category');
    const results = unwrap(checked, reply).map(({ publicId, compatible, reasons }) => ({
      public_id: publicId,
      compatible,
      reasons: reasons.map(({ code, message }) => ({ code, message })),
    }));
    return { product_garment_category_public_id: category, results };
  }
}
