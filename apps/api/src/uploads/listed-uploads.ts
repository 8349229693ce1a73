import { ApiProperty } from '@nestjs/swagger';
import type { Caller } from '#application/command-context.js';
import type { AssetView } from '#application/read-models.js';
import { idLike, PageOf } from '../http/describe.js';
import { DataSubjectsProperty, shownSubjects } from './data-subjects.js';
import type { ShownPicture } from './served-pictures.js';
import { pictureUrl, ThumbnailsProperty, ThumbnailUrlsResponse, uploadKey } from './thumbnail-urls.js';

export class ListedUploadResponse {
  @ApiProperty({
    description: 'Durable id, for every field that takes an asset.',
    ...idLike('01K9Z7J0V4M2Q8T6R3N5B1C7DE'),
  })
  asset_id: string;

  @ApiProperty({
    description: 'Durable handle, for product_image_s3_key or source_image_s3_key of a dispatch.',
    example: uploadKey,
  })
  upload_key: string;

  @ApiProperty({
    description: 'Short-lived presigned URL. No dispatch accepts it.',
    ...pictureUrl(uploadKey),
  })
  image_url: string;

  @ThumbnailsProperty()
  thumbnails: ThumbnailUrlsResponse;

  @ApiProperty({ example: 'image/jpeg' })
  content_type: string;

  @ApiProperty({ description: 'In pixels.', type: 'integer', minimum: 1, example: 1200 })
  width: number;

  @ApiProperty({ description: 'In pixels.', type: 'integer', minimum: 1, example: 1800 })
  height: number;

  @ApiProperty({ description: 'As it is kept.', type: 'integer', minimum: 1, example: 412_337 })
  size_bytes: number;

  @DataSubjectsProperty()
  data_subjects?: string[];

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:00.000Z' })
  created_at: string;

  @ApiProperty({
    description:
      'The `retain_days` that it was uploaded with. `GET /v1/retention` may show fewer; the fewer count. Null: none.',
    type: 'integer',
    nullable: true,
    minimum: 1,
    example: 30,
  })
  retain_days: number | null;
}

export class UploadListResponse extends PageOf(ListedUploadResponse, { total: 'Uploads in all.' }) {}

export function presentListed(upload: AssetView, shown: ShownPicture, caller: Caller): ListedUploadResponse {
  return {
    asset_id: upload.assetId,
    upload_key: upload.storageKey,
    ...shown,
    content_type: upload.contentType,
    width: upload.width,
    height: upload.height,
    size_bytes: upload.sizeBytes,
    ...shownSubjects(upload.dataSubjects, caller),
    created_at: upload.createdAt.toISOString(),
    retain_days: upload.retainDays,
  };
}
