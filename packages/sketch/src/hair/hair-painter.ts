import type { FigureSpec } from '../casting/figure-spec.js';
import type { HeadFrame } from '../face/head-frame.js';
import type { Pens } from '../figure/pens.js';

/** The hair behind the neck, and the hair over face and shoulders. */
interface HairLayers {
  readonly back: string;
  /** Over shoulders and garment, but behind the jaw: tails and braids. */
  readonly over?: string;
  readonly front: string;
}

export type HairPainter = (pens: Pens, frame: HeadFrame, spec: FigureSpec) => HairLayers;
