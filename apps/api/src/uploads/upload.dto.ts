import { ApiProperty } from '@nestjs/swagger';

export class UploadResponse {
  @ApiProperty({
    description: 'Durable handle: product_image_s3_key or source_image_s3_key of a dispatch.',
    example: 'live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/uploads/01K9Z7J0V4M2Q8T6R3N5B1C7DE.jpg',
  })
  upload_key: string;

  @ApiProperty({
    description: 'Short-lived presigned preview URL. No dispatch accepts it.',
    format: 'uri',
    example:
      'https://atelier.example/objects/live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/uploads/01K9Z7J0V4M2Q8T6R3N5B1C7DE.jpg?expires=1790000000&signature=9f2c',
  })
  image_url: string;

  @ApiProperty({
    description: 'Durable id, wherever an asset is asked for.',
    minLength: 26,
    maxLength: 26,
    example: '01K9Z7J0V4M2Q8T6R3N5B1C7DE',
  })
  asset_id: string;
}
