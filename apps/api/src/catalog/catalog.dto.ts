import { ApiProperty } from '@nestjs/swagger';

export class CatalogEntryResponse {
  @ApiProperty({
    description: 'Of the entry and of its picture: an asset id, accepted wherever a picture is asked for.',
    minLength: 26,
    maxLength: 26,
    example: '01K9Z7J0V8G3H5J7K9M2N4P6QR',
  })
  public_id: string;

  @ApiProperty({ description: 'What it shows.', example: 'model_portrait' })
  kind: string;

  @ApiProperty({ example: 'Asha' })
  label: string;

  @ApiProperty({
    description: 'Short-lived presigned GET URL.',
    format: 'uri',
    example:
      'https://atelier.example/objects/live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/renders/01K9Z7J0V6X8Y2Z4A6B8C0D2EF/01K9Z7J0V8G3H5J7K9M2N4P6QR.png?expires=1790000000&signature=9f2c',
  })
  image_url: string;

  @ApiProperty({ description: 'In pixels.', type: 'integer', minimum: 1, example: 1024 })
  width: number;

  @ApiProperty({ description: 'In pixels.', type: 'integer', minimum: 1, example: 1536 })
  height: number;

  @ApiProperty({
    description: "What is known of it: the `meta` of the job's artifact. Depends on the kind.",
    type: 'object',
    additionalProperties: true,
    example: { gender: 'FEMALE', age_range: '22-26' },
  })
  attributes: Readonly<Record<string, unknown>>;

  @ApiProperty({
    description: 'The job that made it.',
    minLength: 26,
    maxLength: 26,
    example: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF',
  })
  job_id: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:01.000Z' })
  created_at: string;
}

export class CatalogListResponse {
  @ApiProperty({ type: [CatalogEntryResponse] })
  items: CatalogEntryResponse[];

  @ApiProperty({ description: 'Entries in all.', type: 'integer', minimum: 0, example: 1 })
  total: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200, example: 50 })
  limit: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  offset: number;
}
