import { ApiProperty } from '@nestjs/swagger';
import { IdField, ListField, text } from '#validation/fields.js';

export class CompatibilityCheckBody {
  @IdField({
    description: "The product's garment category, of `GET /v1/garment-categories`. An unknown one gives 404.",
    required: true,
    example: '01JVYEPJ00T6S3RJBKZR9DHCE6',
  })
  product_garment_category_public_id: string;

  @ListField({
    description:
      'Garments of `GET /v1/catalog/garments`. An id that is none of them gets the verdict `catalog_ref_missing`.',
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
  @ApiProperty({ description: 'The candidate, as it was named.', example: '01K9Z7J0V8G3H5J7K9M2N4P6QR' })
  public_id: string;

  @ApiProperty({ description: 'Whether it may appear with the product.', example: false })
  compatible: boolean;

  @ApiProperty({ description: 'Empty when it is compatible.', type: [CompatibilityReasonResponse] })
  reasons: CompatibilityReasonResponse[];
}

export class CompatibilityCheckResponse {
  @ApiProperty({ minLength: 26, maxLength: 26, example: '01JVYEPJ00T6S3RJBKZR9DHCE6' })
  product_garment_category_public_id: string;

  @ApiProperty({
    description: 'One for each candidate, in the order of the request.',
    type: [CompatibilityVerdictResponse],
  })
  results: CompatibilityVerdictResponse[];
}
