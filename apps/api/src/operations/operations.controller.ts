import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { workflows } from '#domain/workflow/workflows.js';
import { DescribeErrors, DescribeRead } from '../docs/describe.js';

export class OperationResponse {
  @ApiProperty({ description: 'The name in `POST /v1/{name}`.', example: 'model-generator' })
  name: string;

  @ApiProperty({ enum: ['generator', 'compose', 'edit', 'extract'], enumName: 'OperationClass' })
  op_class: string;

  @ApiProperty({ description: 'Flat price of a dispatch.', type: 'integer', minimum: 0, example: 5 })
  credits_cost: number;

  @ApiProperty({ example: true })
  enabled: boolean;
}

export class OperationListResponse {
  @ApiProperty({ type: [OperationResponse] })
  operations: OperationResponse[];
}

@ApiTags('account')
@Controller('/v1/operations')
export class OperationsController {
  @Get()
  @ApiOperation({ operationId: 'listOperations', summary: 'What can be dispatched, and what it costs' })
  @DescribeRead(OperationListResponse)
  @DescribeErrors(401)
  list(): OperationListResponse {
    const operations = workflows.map(({ name, opClass, credits }) => ({
      name,
      op_class: opClass,
      credits_cost: credits,
      enabled: true,
    }));
    return { operations };
  }
}
