import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { isSignedBy, sign } from '#storage/folder/folder-storage.js';
import { presignedUrlSeconds } from '#storage/object-storage.js';

/** URLs of one thumbnail are the same for this long, so that browsers may keep what they fetched. */
const sameUrlSeconds = 60;

const described = (width: number) => ({
  description: `At most ${width} pixels wide.`,
  format: 'uri',
  example: `https://atelier.example/objects/thumbnails/${width}/live/01K9Z7G1T9C4W6X2Y8A5S3D7FH/uploads/01K9Z7J0V4M2Q8T6R3N5B1C7DE.jpg?expires=1790000000&signature=9f2c`,
});

export class ThumbnailUrlsResponse {
  @ApiProperty(described(256))
  256: string;

  @ApiProperty(described(512))
  512: string;

  @ApiProperty(described(1024))
  1024: string;
}

/** What answers show beside the URL of a picture. */
export function ThumbnailsProperty(): PropertyDecorator {
  const description =
    'The picture as WebP in smaller sizes, by their width: short-lived presigned GET URLs. Never enlarged.';
  return ApiProperty({ description, type: ThumbnailUrlsResponse });
}

/** The width is a part of what is signed: nobody can ask for more sizes than there are. */
const pathOf = (storageKey: string, width: number) => `thumbnails/${width}/${storageKey}`;

/** URLs of smaller pictures, which the API serves itself wherever the picture is kept (ADR 34). */
@Injectable()
export class ThumbnailUrls {
  private readonly secret: string | undefined;
  private readonly base: string;

  constructor(
    @Inject(Configuration) { signingKey, storage, publicUrl }: Configuration,
    @Inject(Clock) private readonly clock: Clock,
  ) {
    this.secret = signingKey ?? (storage.kind === 'folder' ? storage.signingSecret : undefined);
    this.base = `${publicUrl}/objects/`;
  }

  /** Undefined where this installation has no key to sign with. */
  of(storageKey: string): ThumbnailUrlsResponse | undefined {
    const { secret, base } = this;
    if (secret === undefined) return undefined;
    const end = this.clock().getTime() / 1000 + presignedUrlSeconds;
    const expires = Math.ceil(end / sameUrlSeconds) * sameUrlSeconds;
    const urlOf = (width: number) => {
      const path = pathOf(storageKey, width);
      return `${base}${path}?expires=${expires}&signature=${sign(secret, path, expires)}`;
    };
    return { 256: urlOf(256), 512: urlOf(512), 1024: urlOf(1024) };
  }

  /** The same no for forged and expired ones. */
  allows(read: { storageKey: string; width: number; expires: number; signature: string }): boolean {
    const { storageKey, width, expires, signature } = read;
    if (this.secret === undefined || expires * 1000 < this.clock().getTime()) return false;
    return isSignedBy(this.secret, { key: pathOf(storageKey, width), expires, signature });
  }
}
