import type { FigureSpec } from '../casting/figure-spec.js';
import { drawEars, drawFace } from '../face/face.js';
import { HeadFrame } from '../face/head-frame.js';
import { drawHair, EARS_SHOW } from '../hair/hair.js';
import type { Pens } from './pens.js';

/** How far the head is moved down the neck: the neck of a croquis is long, but must not look like a stem. */
export const HEAD_DROP = 11;

interface HeadLayers {
  /** Behind neck and shoulders. */
  readonly back: string;
  /** Hair that falls over the shoulders from behind the jaw. */
  readonly over: string;
  readonly face: string;
  /** In front of everything, garment included. */
  readonly front: string;
}

export function drawHead(pens: Pens, spec: FigureSpec): HeadLayers {
  const frame = new HeadFrame(spec, [0, HEAD_DROP]);
  const hair = drawHair(pens, frame, spec);
  const ears = EARS_SHOW.has(spec.hair.style) ? drawEars(pens, frame) : '';
  return {
    back: hair.back,
    over: hair.over ?? '',
    face: ears + drawFace(pens, frame, spec),
    front: hair.front,
  };
}
