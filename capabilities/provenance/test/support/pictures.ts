import sharp from 'sharp';
import type { EnginePicture } from '@atelier/engine';
import { encoderOf } from '@atelier/engine/encode';
import { withMediaMark } from '@atelier/engine/media-mark';
import type { FinishedPicture } from '#application/render/finished-pictures.js';

export const drawnTypes = [
  'image/png',
  'image/jpeg',
  'image/webp',
] as const satisfies EnginePicture['contentType'][];
/** Those that engines draw, and the one that only an order can name. */
export const types = [...drawnTypes, 'image/avif'] as const satisfies FinishedPicture['contentType'][];

/** A picture of noise, as an engine makes it. */
export function unmarkedPicture(
  contentType: EnginePicture['contentType'],
  width: number,
  height: number,
): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  const picture = sharp({ create: { width, height, channels: 3, background: '#888', noise } });
  const encoded = {
    'image/png': () => picture.png(),
    'image/jpeg': () => picture.jpeg(),
    'image/webp': () => picture.webp(),
  };
  return encoded[contentType]().toBuffer();
}

/** The same with its mark, as it is before it is signed. */
export async function markedPicture(
  contentType: FinishedPicture['contentType'],
  width = 64,
  height = 48,
): Promise<Buffer> {
  const drawn = contentType === 'image/avif' ? 'image/png' : contentType;
  const bytes = await unmarkedPicture(drawn, width, height);
  const facts = { kind: 'try_on_render' as const, label: 'l', width, height, meta: {} };
  const picture = { ...facts, bytes, contentType: drawn };
  if (contentType !== 'image/avif') return withMediaMark(picture, 'job-1');
  const encode = await encoderOf(picture, 'job-1');
  return (await encode({ format: 'avif', quality: 60, scale: 1 })).bytes;
}

export const inputs: FinishedPicture['inputs'] = ['source_image', 'background_image', 'product_image'].map(
  (name, index) => ({ name, assetId: `A${index}`, storageKey: `k/${index}`, sha256: `0${index}`.repeat(32) }),
);

/** A picture as the worker hands it over, without inputs. */
export function finished(bytes: Buffer, contentType: FinishedPicture['contentType']): FinishedPicture {
  return {
    bytes,
    contentType,
    assetId: '01KT1GW6G0E3CSYPFR52N6GB49',
    digitalSource: 'algorithmicMedia',
    environment: 'live',
    jobId: '01JWZ0000000000000000000J1',
    operation: 'look',
    inputs: [],
    images: [],
    original: undefined,
    maxBytes: undefined,
    startedAt: new Date('2026-06-01T12:00:00.000Z'),
    engine: 'sketch',
    model: 'sketch-1',
  };
}

/** The event that ordered it. */
export const ordered = {
  id: '6d1ad4c4-0f53-5c37-8d5b-1f6f4a8a9f6e',
  stream: 'live.job-01JWZ0000000000000000000J1',
  revision: 0n,
  position: 41n,
};
