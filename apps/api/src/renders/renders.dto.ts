import { ApiProperty } from '@nestjs/swagger';

export class RenderResponse {
  @ApiProperty({
    description: 'The job that made it.',
    minLength: 26,
    maxLength: 26,
    example: '01K9Z7J0V6X8Y2Z4A6B8C0D2EF',
  })
  public_id: string;

  @ApiProperty({ example: 'PRODUCT_TO_MODEL_DIRECT' })
  job_type: string;

  @ApiProperty({
    description: 'Short-lived presigned GET URL.',
    format: 'uri',
    example:
      'https://atelier.example/objects/live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/renders/01K9Z7J0V6X8Y2Z4A6B8C0D2EF.png?expires=1790000000&signature=9f2c',
  })
  image_url: string;

  @ApiProperty({ description: 'In pixels.', type: 'integer', minimum: 1, example: 1024 })
  width: number;

  @ApiProperty({ description: 'In pixels.', type: 'integer', minimum: 1, example: 1536 })
  height: number;

  @ApiProperty({ example: 'on_model_render' })
  kind: string;

  @ApiProperty({ example: 'On model' })
  label: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T12:00:01.000Z' })
  created_at: string;
}

export class RenderListResponse {
  @ApiProperty({ type: [RenderResponse] })
  items: RenderResponse[];

  @ApiProperty({ description: 'Renders in all.', type: 'integer', minimum: 0, example: 1 })
  total: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200, example: 50 })
  limit: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  offset: number;
}
