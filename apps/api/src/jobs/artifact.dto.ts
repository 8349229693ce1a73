import { ApiProperty } from '@nestjs/swagger';

export class Artifact {
  @ApiProperty({
    description: 'Short-lived presigned GET URL.',
    format: 'uri',
    example:
      'https://atelier.example/objects/live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/renders/01K9Z7J0V6X8Y2Z4A6B8C0D2EF.png?expires=1790000000&signature=9f2c',
  })
  image_url: string;

  @ApiProperty({ description: 'What it shows.', example: 'on_model_render' })
  kind: string;

  @ApiProperty({ enum: ['intermediate', 'final'], enumName: 'ArtifactRole' })
  role: 'intermediate' | 'final';

  @ApiProperty({ example: 'On model' })
  label: string;

  @ApiProperty({
    description: 'Metadata that depends on the kind.',
    type: 'object',
    additionalProperties: true,
    example: { width: 1024, height: 1536 },
  })
  meta: Record<string, unknown>;

  @ApiProperty({
    description: 'Storage key.',
    example: 'live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/renders/01K9Z7J0V6X8Y2Z4A6B8C0D2EF.png',
  })
  s3_key: string;

  @ApiProperty({ minLength: 26, maxLength: 26, example: '01K9Z7J0V8G3H5J7K9M2N4P6QR' })
  asset_id: string;
}
