import type { FigureSpec } from '../casting/figure-spec.js';
import type { HeadFrame } from '../face/head-frame.js';
import type { Pens } from '../figure/pens.js';

/** What lies behind the neck and what falls over face and shoulders. */
interface HairLayers {
  readonly back: string;
  /** Over shoulders and garment, but behind the jaw: tails and braids. */
  readonly over?: string;
  readonly front: string;
}

export type HairPainter = (pens: Pens, frame: HeadFrame, spec: FigureSpec) => HairLayers;
