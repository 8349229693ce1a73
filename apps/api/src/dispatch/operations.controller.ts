import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/command-context.js';
import { Operations } from '#application/operation/operations.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribeRead } from '../http/describe.js';
import { workflows } from '#workflows/workflows.js';
import { ImageModels } from './image-model-rules.js';

export class OperationResponse {
  @ApiProperty({ description: 'The name in `POST /v1/{name}`.', example: 'model-generator' })
  name: string;

  @ApiProperty({ enum: ['generator', 'compose', 'edit', 'extract'], enumName: 'OperationClass' })
  op_class: string;

  @ApiProperty({
    description: 'Flat price of a dispatch; for `pdp-batch-extractions`, of each photograph.',
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
  constructor(private readonly operations: Operations) {}

  @Get()
  @ApiOperation({ summary: 'The workflows that you can dispatch, and their prices' })
  @DescribeRead(OperationListResponse)
  @DescribeErrors(401, 403)
  async listOperations(@CurrentCaller() caller: Caller): Promise<OperationListResponse> {
    const operations = await this.operations.list(caller.environment);
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

export class ImageModelResponse {
  @ApiProperty({ description: 'The id to send as `image_model` or `model`.', example: 'sketch-1' })
  id: string;

  @ApiProperty({
    type: [String],
    description: 'The workflows that it supports.',
    example: ['try-on', 'look'],
  })
  workflows: string[];

  @ApiProperty({
    type: [String],
    description: 'The workflows that it draws for you when the body names no model.',
    example: ['try-on'],
  })
  usual_for: string[];

  @ApiProperty({
    description: 'The most pictures that it takes in one request.',
    type: 'integer',
    example: 8,
  })
  max_inputs: number;

  @ApiProperty({ type: [String], description: 'Values of `resolution`.', example: ['1K', '2K'] })
  resolutions: string[];

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'Values of `aspect_ratio`; null: all of them.',
    example: null,
  })
  aspect_ratios: string[] | null;

  @ApiProperty({ description: 'Whether it supports `quality`. If not, `quality` is dropped.', example: true })
  quality: boolean;

  @ApiProperty({ description: 'Whether it takes a `seed`. If not, a `seed` is refused.', example: true })
  seed: boolean;
}

export class ImageModelListResponse {
  @ApiProperty({ type: [ImageModelResponse] })
  image_models: ImageModelResponse[];
}

@ApiTags('account')
@Controller('/v1/image-models')
export class ImageModelsController {
  constructor(private readonly imageModels: ImageModels) {}

  @Get()
  @ApiOperation({ summary: 'Which image models a request may name' })
  @DescribeRead(ImageModelListResponse)
  @DescribeErrors(401)
  listImageModels(@CurrentCaller() { tenant }: Caller): ImageModelListResponse {
    const { choice } = this.imageModels;
    const names = workflows.map(({ name }) => name);
    return {
      image_models: choice.models.map((model) => ({
        id: model.id,
        workflows: names.filter((name) => choice.making(name).includes(model)),
        usual_for: names.filter((name) => choice.usual(name, tenant) === model),
        max_inputs: model.max_inputs,
        resolutions: [...model.resolutions],
        aspect_ratios: model.aspect_ratios ? [...model.aspect_ratios] : null,
        quality: model.supports_quality,
        seed: model.seed,
      })),
    };
  }
}
