import type { Stance } from '../casting/figure-spec.js';
import type { ShotFraming } from '../composition/shot.js';
import { bounds } from '../cutout/mask.js';
import type { Reading } from './regions.js';

export type CameraHeight = 'low' | 'waist' | 'chest' | 'eye' | 'high';

export interface FramingReading {
  readonly crop: ShotFraming;
  /** Number of head heights from the crown to the last row of the person; absent if there is no person. */
  readonly headsShown?: number;
  readonly cameraHeight: CameraHeight;
  readonly angle: 'front' | 'overhead';
  /** Absent if the picture does not show it. */
  readonly pose?: Stance | 'laid_flat';
  /**
   * `offset` is the offset of the subject's middle, as a share of the width. `headroom` is the room above the
   * subject.
   */
  readonly offset: number;
  readonly headroom: number;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** A drawing has the usual camera height for its crop. */
const CAMERA: Readonly<Record<ShotFraming, CameraHeight>> = {
  full: 'waist',
  three_quarter: 'chest',
  half: 'eye',
  detail: 'eye',
};

/**
 * A picture's framing and the position of its subject. They come from the meta of a drawing, or are measured
 * for a product.
 */
export function readFraming({ subject, figure }: Reading): FramingReading {
  const { width, height } = subject.mask;
  const box = bounds(subject.mask, 0);
  const [left, right] = [box.left / width, (box.left + box.width) / width];
  const [top, bottom] = [box.top / height, (box.top + box.height) / height];
  const offset = round((left + right) / 2 - 0.5);
  const headroom = round(top);
  if (figure)
    return {
      crop: figure.shows,
      headsShown: Math.round((10 * (bottom - top)) / figure.head) / 10,
      cameraHeight: CAMERA[figure.shows],
      angle: 'front',
      ...(figure.stance && { pose: figure.stance }),
      offset,
      headroom,
    };
  const cuts = [left < 0.005, top < 0.005, right > 0.995, bottom > 0.995].filter(Boolean).length;
  const crop = cuts >= 2 || subject.share > 0.75 ? 'detail' : 'full';
  return { crop, cameraHeight: 'high', angle: 'overhead', pose: 'laid_flat', offset, headroom };
}
