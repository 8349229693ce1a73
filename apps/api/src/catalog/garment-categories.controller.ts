import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { GARMENT_SLOTS, garmentCategories } from '#domain/garment/garment-categories.js';
import { RequireCapability } from '../auth/api-key.guard.js';
import { DescribeErrors, describedHeaders, PageOf } from '../http/describe.js';
import { PageQuery, ValidQuery } from '../http/valid-request.js';

export class GarmentCategoryResponse {
  @ApiProperty({ minLength: 26, maxLength: 26, example: '01JVYEPJ00T6S3RJBKZR9DHCE6' })
  public_id: string;

  @ApiProperty({ description: 'Canonical taxonomy key.', example: 't_shirt' })
  key: string;

  @ApiProperty({ example: 'T-shirt' })
  display_label: string;

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
  @ApiOperation({ operationId: 'listGarmentCategories', summary: 'The kinds of garment that there are' })
  @ApiQuery({ type: PageQuery })
  @ApiResponse({
    status: 200,
    description: 'The same for everybody.',
    type: GarmentCategoryListResponse,
    headers: describedHeaders(),
  })
  @DescribeErrors(401, 403, 422)
  list(@ValidQuery(PageQuery) { limit, offset }: PageQuery): GarmentCategoryListResponse {
    return { items: items.slice(offset, offset + limit), total: items.length, limit, offset };
  }
}
