import type { Point } from '../drawing/geometry.js';

/** Figure units to pixels of the canvas. */
export interface Framing {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export const toPixels = ({ scale, x, y }: Framing, [px, py]: Point): Point => [
  x + px * scale,
  y + py * scale,
];
