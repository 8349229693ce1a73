import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { choice, ChoiceField, IdField, ListField, PictureField, TextField } from '#validation/fields.js';
import { Relations, setOrCleared } from '#validation/relations.js';
import { categoryById } from '#domain/garment/garment-categories.js';
import { personsOf, type KnownProduct } from '#domain/product/product.js';
import { DataSubjectField } from '#workflows/common-fields.js';
import { idLike, PageOf } from '../http/describe.js';
import { PageQuery } from '../http/valid-request.js';
import {
  pictureUrl,
  ThumbnailsProperty,
  ThumbnailUrlsResponse,
  uploadKey,
} from '../uploads/thumbnail-urls.js';
import { DataSubjectsProperty } from '../uploads/data-subjects.js';
import type { ServedPictures } from '../uploads/served-pictures.js';

export class CreateProductBody {
  @PictureField({ description: 'The picture of the garment: an `asset_id` of yours.', required: true })
  upload_asset_public_id: string;

  @TextField({ description: 'What it is called.', min: 1, max: 256, required: true, example: 'Linen shirt' })
  title: string;

  @TextField({
    description: 'Your own name for it. Posting the same one again updates that product.',
    min: 1,
    max: 256,
    example: 'SKU-1042',
  })
  external_ref?: string;

  @TextField({
    description: 'For people.',
    min: 1,
    max: 2000,
    example: 'Washed linen, mother-of-pearl buttons.',
  })
  description?: string;

  @IdField({ description: 'Of `GET /v1/garment-categories`.', example: '01JVYEPJ00T6S3RJBKZR9DHCE6' })
  garment_category_public_id?: string;

  @DataSubjectField('whom it is about')
  data_subject?: string;
}

const productStatuses = ['active', 'archived'] as const;
const clearable = ['description', 'garment_category_public_id', 'data_subject'] as const;

@Relations(...setOrCleared(clearable))
export class UpdateProductBody {
  @PictureField({ description: 'A new primary picture; the previous one moves into the gallery.' })
  upload_asset_public_id?: string;

  @TextField({ description: 'What it is called.', min: 1, max: 256, example: 'Linen shirt' })
  title?: string;

  @TextField({ description: 'For people.', min: 1, max: 2000 })
  description?: string;

  @IdField({ description: 'Of `GET /v1/garment-categories`.', example: '01JVYEPJ00T6S3RJBKZR9DHCE6' })
  garment_category_public_id?: string;

  @DataSubjectField('whom it is about')
  data_subject?: string;

  @ChoiceField({
    description: 'No dispatch can refer to an archived product. `active` brings it back.',
    values: productStatuses,
    name: 'ProductStatus',
  })
  status?: (typeof productStatuses)[number];

  @ListField({
    description: 'Fields to clear.',
    items: choice(clearable),
    max: clearable.length,
    unique: true,
    example: ['description'],
  })
  clear?: (typeof clearable)[number][];
}

export class ListProductsQuery extends PageQuery {
  @ChoiceField({
    description: 'Only products in this state.',
    values: productStatuses,
    name: 'ProductStatus',
  })
  status?: (typeof productStatuses)[number];

  @TextField({ description: 'Only the product with this external_ref.', min: 1, max: 256 })
  external_ref?: string;
}

export class ProductCategoryResponse {
  @ApiProperty(idLike('01JVYEPJ00T6S3RJBKZR9DHCE6'))
  public_id: string;

  @ApiProperty({ description: 'Canonical taxonomy key.', example: 't_shirt' })
  key: string;

  @ApiProperty({ example: 'T-shirt' })
  display_label: string;
}

export class ProductImageResponse {
  @ApiProperty(idLike('01K9Z7J0V4M2Q8T6R3N5B1C7DE'))
  asset_public_id: string;

  @ApiProperty({
    description:
      '`primary` represents the product; `gallery` did so before; `source_pdp` is the page photograph that the product was extracted from.',
    enum: ['primary', 'gallery', 'source_pdp'],
    enumName: 'ProductImageRole',
  })
  role: string;

  @ApiProperty({ description: 'From 0.', type: 'integer', minimum: 0, example: 0 })
  position: number;

  @ApiProperty({
    description: 'Short-lived presigned GET URL. No dispatch accepts it.',
    ...pictureUrl(uploadKey),
  })
  image_url: string;

  @ThumbnailsProperty()
  thumbnails: ThumbnailUrlsResponse;
}

/** A picture of a product that was erased. */
export class ErasedProductImage {
  @ApiProperty(idLike('01K9Z7J0V4M2Q8T6R3N5B1C7DE'))
  asset_public_id: string;

  @ApiProperty({ enum: ['primary', 'gallery', 'source_pdp'], enumName: 'ProductImageRole' })
  role: string;

  @ApiProperty({ format: 'date-time', example: '2026-02-01T08:30:00.001Z' })
  erased_at: string;
}

export class ProductResponse {
  @ApiProperty(idLike('2ZK9Z7J0V6X8Y2Z4A6B8C0D2EF'))
  public_id: string;

  @ApiProperty({ example: 'Linen shirt' })
  title: string;

  @ApiPropertyOptional({ example: 'SKU-1042' })
  external_ref?: string;

  @ApiPropertyOptional({ description: 'Absent when none was given.' })
  category?: ProductCategoryResponse;

  @ApiProperty({ enum: [...productStatuses], enumName: 'ProductStatus' })
  status: string;

  @ApiPropertyOptional({ example: 'Washed linen, mother-of-pearl buttons.' })
  description?: string;

  @ApiPropertyOptional({ description: 'URL of the primary image; short-lived.', ...pictureUrl(uploadKey) })
  primary_image_url?: string;

  @ApiPropertyOptional({
    description: 'URL of the source image, if there is one; short-lived.',
    ...pictureUrl(uploadKey),
  })
  source_pdp_image_url?: string;

  @ApiProperty({ description: 'The primary one first.', type: [ProductImageResponse] })
  images: ProductImageResponse[];

  @DataSubjectsProperty()
  data_subjects?: string[];

  @ApiPropertyOptional({
    description: 'The pictures that were erased; absent if none was.',
    type: [ErasedProductImage],
  })
  erased_images?: ErasedProductImage[];

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at: string;
}

export class ProductListResponse extends PageOf(ProductResponse, {
  total: 'Number of products that match.',
}) {}

/** A product in the form of the API. Fields that were not given are absent. */
export async function presentProduct(
  pictures: ServedPictures,
  product: KnownProduct,
): Promise<ProductResponse> {
  const { productId, title, externalRef, description, status, registeredAt } = product;
  const category = product.garmentCategoryId === null ? undefined : categoryById(product.garmentCategoryId);
  const shown = product.images.filter(({ erasedAt }) => erasedAt === undefined);
  const gone = product.images.flatMap(({ assetId, role, erasedAt }) =>
    erasedAt === undefined ? [] : [{ asset_public_id: assetId, role, erased_at: erasedAt }],
  );
  const images = await Promise.all(
    shown.map(async ({ assetId, role, storageKey }, position) => ({
      asset_public_id: assetId,
      role,
      position,
      ...(await pictures.shown(storageKey)),
    })),
  );
  const urlOf = (wanted: string) => images.find(({ role }) => role === wanted)?.image_url;
  const primary = urlOf('primary');
  const source = urlOf('source_pdp');
  const persons = personsOf(product);
  return {
    public_id: productId,
    title,
    ...(externalRef !== null && { external_ref: externalRef }),
    ...(category && {
      category: {
        public_id: category.publicId,
        key: category.key,
        display_label: category.displayLabel,
      },
    }),
    status,
    ...(description !== null && { description }),
    ...(primary !== undefined && { primary_image_url: primary }),
    ...(source !== undefined && { source_pdp_image_url: source }),
    images,
    ...(persons.length > 0 && { data_subjects: [...persons] }),
    ...(gone.length > 0 && { erased_images: gone }),
    created_at: registeredAt,
  };
}
