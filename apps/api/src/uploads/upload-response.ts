import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Caller } from '#application/command-context.js';
import { keptCredentialsLimitBytes, type StoredUpload } from '#application/picture/store-picture.handler.js';
import type { AboutPersons } from '#domain/data-subject.js';
import { idLike } from '../http/describe.js';
import { DataSubjectsProperty, shownSubjects } from './data-subjects.js';
import type { ShownPicture } from './served-pictures.js';
import { pictureUrl, ThumbnailsProperty, ThumbnailUrlsResponse, uploadKey } from './thumbnail-urls.js';

class ArrivedCredentialsResponse {
  @ApiProperty({
    example: true,
    description:
      'Whether the picture was what was signed. It does not say whether you should trust who signed.',
  })
  valid: boolean;

  @ApiProperty({
    description: 'What was wrong, as C2PA names it.',
    type: [String],
    example: [],
  })
  problems: string[];

  @ApiProperty({
    description: `False: they have more than ${keptCredentialsLimitBytes} bytes (1 MiB), so they were not kept.`,
    example: true,
  })
  kept: boolean;
}

export class UploadResponse {
  @ApiProperty({
    description: 'Durable handle, for product_image_s3_key or source_image_s3_key of a dispatch.',
    example: uploadKey,
  })
  upload_key: string;

  @ApiProperty({
    description: 'Short-lived presigned preview URL. No dispatch accepts it.',
    ...pictureUrl(uploadKey),
  })
  image_url: string;

  @ThumbnailsProperty()
  thumbnails: ThumbnailUrlsResponse;

  @ApiProperty({
    description: 'Durable id, for every field that takes an asset.',
    ...idLike('01K9Z7J0V4M2Q8T6R3N5B1C7DE'),
  })
  asset_id: string;

  @DataSubjectsProperty()
  data_subjects?: string[];

  @ApiPropertyOptional({
    description:
      'Whether this upload was there before the request. Only in answers to requests with `reuse`.',
    example: false,
  })
  already_there?: boolean;

  @ApiProperty({
    description:
      'The Content Credentials (C2PA) that the picture arrived with. Pictures made from it take them in. Null: it had none.',
    type: ArrivedCredentialsResponse,
    nullable: true,
  })
  credentials: ArrivedCredentialsResponse | null;
}

export function present(
  {
    assetId,
    storageKey,
    dataSubjects,
    credentials,
    alreadyThere,
  }: Pick<StoredUpload, 'assetId' | 'storageKey' | 'credentials' | 'alreadyThere'> & AboutPersons,
  shown: ShownPicture,
  caller: Caller,
): UploadResponse {
  const arrived = credentials && {
    valid: credentials.problems.length === 0,
    problems: credentials.problems,
    kept: credentials.kept !== null,
  };
  return {
    upload_key: storageKey,
    ...shown,
    asset_id: assetId,
    credentials: arrived ?? null,
    ...(alreadyThere !== undefined && !caller.scope && { already_there: alreadyThere }),
    ...shownSubjects(dataSubjects, caller),
  };
}
