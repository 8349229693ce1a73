import { Controller, Get, Inject, Patch, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { aboutPersons } from '#domain/data-subject.js';
import { ReadYourWrites } from '#application/consistency/read-your-writes.js';
import {
  RegisterProduct,
  ReviseProduct,
  type RegisteredProduct,
  type RevisedProduct,
} from '#application/product/manage-products.handler.js';
import { ProductQueries } from '#application/product/product-queries.js';
import { Clock } from '#platform/clock.js';
import { ServedPictures } from '../uploads/served-pictures.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribePublicId, DescribeRead, DescribeWrite } from '../http/describe.js';
import { erased, notFound } from '../http/api-error.js';
import { ConsistencyToken, tellWrite, unwrap } from '../http/consistency-token.js';
import { NoIdempotencyKey, PublicId, ValidBody, ValidQuery } from '../http/valid-request.js';
import {
  presentProduct,
  CreateProductBody,
  ListProductsQuery,
  ProductListResponse,
  ProductResponse,
  UpdateProductBody,
} from './products.dto.js';

@ApiTags('products')
@Controller('/v1/products')
export class ProductsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly products: ProductQueries,
    private readonly consistency: ReadYourWrites,
    private readonly pictures: ServedPictures,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Post()
  @UseGuards(NoIdempotencyKey)
  @RequireCapability('jobs:create')
  @ApiOperation({
    summary: 'Create a product from an uploaded picture, or update it by its external_ref',
    description:
      'The picture becomes the primary picture, and the previous primary picture moves into the gallery. If a PDP ' +
      'extraction made the garment, the page photograph is attached as well. An update leaves absent fields as they are. ' +
      'Free.',
  })
  @ApiBody({ type: CreateProductBody, required: true })
  @DescribeWrite(201, ProductResponse)
  @DescribeWrite(200, ProductResponse, 'Updated: a product with this external_ref already existed.')
  @DescribeErrors(401, 403, 404, '410 of a product', 413, 415, 422)
  async createProduct(
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
      dataSubject: body.data_subject,
    };
    const registered = await this.commands.execute(
      new RegisterProduct(caller, product, request.id, this.clock()),
    );
    if (registered.kind === 'registered') void reply.code(registered.isNew ? 201 : 200);
    return this.written(caller, registered, reply);
  }

  @Get()
  @RequireCapability('jobs:read')
  @ApiOperation({ summary: 'Your products, newest first' })
  @ApiQuery({ type: ListProductsQuery })
  @DescribeRead(ProductListResponse)
  @DescribeErrors(401, 403, 422)
  async listProducts(
    @CurrentCaller() caller: Caller,
    @ValidQuery(ListProductsQuery) query: ListProductsQuery,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProductListResponse> {
    const { limit, offset, status, external_ref: externalRef } = query;
    const filter = { limit, offset, status, externalRef };
    const { items, total } = unwrap(await this.products.list(caller, filter, token), reply);
    const products = items.map(({ createdAt, dataSubjects, ...product }) =>
      presentProduct(this.pictures, {
        ...product,
        ...aboutPersons(dataSubjects ?? []),
        registeredAt: createdAt.toISOString(),
      }),
    );
    return { items: await Promise.all(products), total, limit, offset };
  }

  @Get(':public_id')
  @RequireCapability('jobs:read')
  @ApiOperation({ summary: 'One product' })
  @DescribePublicId('product')
  @DescribeRead(ProductResponse)
  @DescribeErrors(401, 403, 404, '410 of a product', 422)
  async getProduct(
    @CurrentCaller() caller: Caller,
    @PublicId('product') id: string,
  ): Promise<ProductResponse> {
    const product = await this.products.get(caller, id);
    if (!product) throw notFound('product');
    if (product.erasedAt !== undefined) throw erased('product', product.erasedAt);
    return presentProduct(this.pictures, product);
  }

  @Patch(':public_id')
  @RequireCapability('jobs:create')
  @ApiOperation({
    summary: 'Change a product, clear a field of it, archive it, or bring it back',
    description: 'Absent fields stay as they are. Free.',
  })
  @DescribePublicId('product')
  @ApiBody({ type: UpdateProductBody, required: true })
  @DescribeWrite(200, ProductResponse)
  @DescribeErrors(401, 403, 404, '410 of a product', 413, 415, 422)
  async updateProduct(
    @CurrentCaller() caller: Caller,
    @PublicId('product') id: string,
    @ValidBody(UpdateProductBody) body: UpdateProductBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProductResponse> {
    const { title, description, garment_category_public_id: category, status, clear = [] } = body;
    const { data_subject: dataSubject } = body;
    const changes = {
      uploadAssetId: body.upload_asset_public_id,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(category !== undefined && { garmentCategoryId: category }),
      ...(dataSubject !== undefined && { dataSubjects: [dataSubject] }),
      ...(clear.includes('data_subject') && { dataSubjects: [] }),
      ...(clear.includes('description') && { description: null }),
      ...(clear.includes('garment_category_public_id') && { garmentCategoryId: null }),
      ...(status !== undefined && { status }),
    };
    const command = new ReviseProduct(caller, id, changes, request.id, this.clock());
    return this.written(caller, await this.commands.execute(command), reply);
  }

  private written(
    caller: Caller,
    written: RegisteredProduct | RevisedProduct,
    reply: FastifyReply,
  ): Promise<ProductResponse> {
    if (written.kind === 'unknown-reference') throw notFound(written.what);
    if (written.kind === 'erased') throw erased(written.what, written.erasedAt);
    const { position, product } = written;
    tellWrite(this.consistency, caller, position, reply);
    return presentProduct(this.pictures, product);
  }
}
