import { Controller, Get } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/command-context.js';
import { ListOperations } from '#application/operation/operations.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribeRead } from '../http/describe.js';

export class OperationResponse {
  @ApiProperty({ description: 'The name in `POST /v1/{name}`.', example: 'model-generator' })
  name: string;

  @ApiProperty({ enum: ['generator', 'compose', 'edit', 'extract'], enumName: 'OperationClass' })
  op_class: string;

  @ApiProperty({
    description: 'Flat price of a dispatch; of each photograph for `pdp-batch-extractions`.',
    type: 'integer',
    minimum: 0,
    example: 5,
  })
  credits_cost: number;

  @ApiProperty({ description: 'False: a dispatch is refused with OPERATION_DISABLED.', example: true })
  enabled: boolean;
}

export class OperationListResponse {
  @ApiProperty({ type: [OperationResponse] })
  operations: OperationResponse[];
}

@ApiTags('account')
@Controller('/v1/operations')
export class OperationsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ operationId: 'listOperations', summary: 'What can be dispatched, and what it costs' })
  @DescribeRead(OperationListResponse)
  @DescribeErrors(401, 403)
  async list(@CurrentCaller() caller: Caller): Promise<OperationListResponse> {
    const operations = await this.queries.execute(new ListOperations(caller));
    return {
      operations: operations.map(({ name, opClass, credits, enabled }) => ({
        name,
        op_class: opClass,
        credits_cost: credits,
        enabled,
      })),
    };
  }
}
