import { Controller, HttpCode, Post, Res, Get } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiProperty, ApiTags, ApiQuery } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '#application/command-context.js';
import { CatalogQueries } from '#application/catalog/catalog-queries.js';
import { IdField, ListField, text } from '#validation/fields.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { CurrentCaller } from '../auth/caller.js';
import { DescribeErrors, DescribeFixed, DescribeRead, idLike, PageOf } from '../http/describe.js';
import { notFound } from '../http/api-error.js';
import { ConsistencyToken, unwrap } from '../http/consistency-token.js';
import { ProductCategoryResponse } from './products.dto.js';
import { ValidBody, PageQuery, ValidQuery } from '../http/valid-request.js';
import { GARMENT_SLOTS, garmentCategories } from '#domain/garment/garment-categories.js';

export class CompatibilityCheckBody {
  @IdField({
    description:
      "The product's garment category, from `GET /v1/garment-categories`. An unknown category gives 404.",
    required: true,
    example: '01JVYEPJ00T6S3RJBKZR9DHCE6',
  })
  product_garment_category_public_id: string;

  @ListField({
    description:
      'Garments from `GET /v1/catalog/garments`. An id that is not among them gets the verdict `catalog_ref_missing`.',
    items: text({ max: 64 }),
    min: 1,
    max: 100,
    required: true,
    example: ['01K9Z7J0V8G3H5J7K9M2N4P6QR'],
  })
  candidate_complementary_image_public_ids: string[];
}

export class CompatibilityReasonResponse {
  @ApiProperty({ description: 'Stable and machine-readable.', example: 'same_slot' })
  code: string;

  @ApiProperty({ example: 'A T-shirt and a shirt take the same place in an outfit.' })
  message: string;
}

export class CompatibilityVerdictResponse {
  @ApiProperty({ description: 'The id of the candidate, as sent.', example: '01K9Z7J0V8G3H5J7K9M2N4P6QR' })
  public_id: string;

  @ApiProperty({ description: 'Whether it may appear with the product.', example: false })
  compatible: boolean;

  @ApiProperty({ description: 'Empty when it is compatible.', type: [CompatibilityReasonResponse] })
  reasons: CompatibilityReasonResponse[];
}

export class CompatibilityCheckResponse {
  @ApiProperty(idLike('01JVYEPJ00T6S3RJBKZR9DHCE6'))
  product_garment_category_public_id: string;

  @ApiProperty({
    description: 'One for each candidate, in the order of the request.',
    type: [CompatibilityVerdictResponse],
  })
  results: CompatibilityVerdictResponse[];
}

@ApiTags('catalog')
@Controller('/v1/compatibility')
@RequireCapability('jobs:read')
export class CompatibilityController {
  constructor(private readonly catalog: CatalogQueries) {}

  @Post('check')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Which complementary garments may appear with a product',
    description: 'Changes nothing and costs nothing.',
  })
  @ApiBody({ type: CompatibilityCheckBody, required: true })
  @DescribeRead(CompatibilityCheckResponse)
  @DescribeErrors(401, 403, 404, 413, 415, 422)
  async checkCompatibility(
    @CurrentCaller() caller: Caller,
    @ValidBody(CompatibilityCheckBody) body: CompatibilityCheckBody,
    @ConsistencyToken() token: bigint | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CompatibilityCheckResponse> {
    const { product_garment_category_public_id: category, candidate_complementary_image_public_ids: ids } =
      body;
    const checked = await this.catalog.garmentVerdicts(caller, category, ids, token);
    if (!checked) throw notFound('garment category');
    const results = unwrap(checked, reply).map(({ publicId, compatible, reasons }) => ({
      public_id: publicId,
      compatible,
      reasons: reasons.map(({ code, message }) => ({ code, message })),
    }));
    return { product_garment_category_public_id: category, results };
  }
}

export class GarmentCategoryResponse extends ProductCategoryResponse {
  @ApiProperty({ description: 'Where it is worn.', enum: GARMENT_SLOTS, enumName: 'GarmentSlot' })
  slot: string;
}

export class GarmentCategoryListResponse extends PageOf(GarmentCategoryResponse, {
  total: 'Categories in all.',
  example: 98,
}) {}

const items = garmentCategories.map(({ publicId, key, displayLabel, slot }) => ({
  public_id: publicId,
  key,
  display_label: displayLabel,
  slot,
}));

@ApiTags('catalog')
@Controller('/v1/garment-categories')
@RequireCapability('jobs:read')
export class GarmentCategoriesController {
  @Get()
  @ApiOperation({ summary: 'The kinds of garment' })
  @ApiQuery({ type: PageQuery })
  @DescribeFixed(GarmentCategoryListResponse, { description: 'The same for everybody.' })
  @DescribeErrors(401, 403, 422)
  listGarmentCategories(@ValidQuery(PageQuery) { limit, offset }: PageQuery): GarmentCategoryListResponse {
    return { items: items.slice(offset, offset + limit), total: items.length, limit, offset };
  }
}
