export type PictureType = 'image/jpeg' | 'image/png' | 'image/webp';

/** A picture as it is kept: decoded once, upright, without metadata. */
export interface Picture {
  readonly bytes: Buffer;
  readonly contentType: PictureType;
  readonly width: number;
  readonly height: number;
}

const extensions: Record<PictureType, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
};

export function extensionOf(type: PictureType): string {
  return extensions[type];
}
