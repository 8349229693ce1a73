import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import { RegisterProduct } from '#application/product/register-product.handler.js';
import { Clock } from '#platform/clock.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, describedHeaders, DescribeWrite } from '../http/describe.js';
import { notFound } from '../http/api-error.js';
import { consistencyToken } from '../http/consistency-token.js';
import { ValidBody } from '../http/valid-request.js';
import { presentProduct, CreateProductBody, ProductResponse } from './products.dto.js';

@ApiTags('products')
@Controller('/v1/products')
export class ProductsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly consistency: ReadYourWrites,
    private readonly storage: ObjectStorage,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Post()
  @RequireCapability('jobs:create')
  @ApiOperation({
    operationId: 'createProduct',
    summary: 'Make a product of an uploaded picture, or update it by its external_ref',
    description:
      'The picture becomes the primary one; the primary one of before moves into the gallery. Of a garment that a PDP ' +
      'extraction made, the page photograph is attached as well. In an update, what is absent stays as it is. Free.',
  })
  @ApiBody({ type: CreateProductBody, required: true })
  @DescribeWrite(201, ProductResponse)
  @ApiResponse({
    status: 200,
    description: 'Updated: a product with this external_ref was there before.',
    type: ProductResponse,
    headers: describedHeaders('X-Consistency-Token'),
  })
  @DescribeErrors(401, 403, 404, 413, 415, 422)
  async create(
    @CurrentCaller() caller: Caller,
    @ValidBody(CreateProductBody) body: CreateProductBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProductResponse> {
    const product = {
      uploadAssetId: body.upload_asset_public_id,
      title: body.title,
      externalRef: body.external_ref ?? null,
      description: body.description ?? null,
      garmentCategoryId: body.garment_category_public_id ?? null,
    };
    const registered = await this.commands.execute(
      new RegisterProduct(caller, product, request.id, this.clock()),
    );
    if (registered.kind === 'unknown-reference') throw notFound(registered.what);
    const { position, isNew } = registered;
    if (position !== undefined) {
      this.consistency.noteWrite(caller, position);
      void reply.header('x-consistency-token', consistencyToken(caller, position));
    }
    void reply.code(isNew ? 201 : 200);
    return presentProduct(this.storage, registered.product);
  }
}
