import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { ThumbnailSigner } from '#storage/thumbnail-signer.js';

export const uploadKey = 'live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/uploads/01K9Z7J0V4M2Q8T6R3N5B1C7DE.jpg';
export const renderKey = 'live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/renders/01K9Z7J0V6X8Y2Z4A6B8C0D2EF.png';

/** The short-lived URL of a picture in an answer, by its storage key. */
export const pictureUrl = (key: string) => ({
  format: 'uri',
  example: `https://atelier.example/objects/${key}?expires=1790000000&signature=9f2c`,
});

const described = (width: number) => ({
  description: `At most ${width} pixels wide.`,
  ...pictureUrl(`thumbnails/${width}/${uploadKey}`),
});

export class ThumbnailUrlsResponse {
  @ApiProperty(described(256))
  256: string;

  @ApiProperty(described(512))
  512: string;

  @ApiProperty(described(1024))
  1024: string;
}

/** The URLs of smaller sizes, which answers show beside the URL of a picture. */
export function ThumbnailsProperty(): PropertyDecorator {
  const description =
    'The picture as WebP in smaller sizes, by their width: short-lived presigned GET URLs. Never enlarged.';
  return ApiProperty({ description, type: ThumbnailUrlsResponse });
}

@Injectable()
export class ThumbnailUrls extends ThumbnailSigner {
  constructor(@Inject(Configuration) configuration: Configuration, @Inject(Clock) clock: Clock) {
    super(configuration, clock);
  }
}
