import type { Point } from './geometry.js';

/**
 * Landmarks as in SVG's `points`: `'0 0, 4 -2.5, 8 0'`. A drawing is mostly tables of landmarks. In this form a
 * contour stays on one line and can be compared with the drawing.
 */
export const points = (landmarks: string): Point[] =>
  landmarks.split(',').map((pair): Point => {
    const [x, y] = pair.trim().split(' ').map(Number);
    if (x === undefined || y === undefined || Number.isNaN(x + y))
      throw new RangeError(`no landmark: ${pair}`);
    return [x, y];
  });
