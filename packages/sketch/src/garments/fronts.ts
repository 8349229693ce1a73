import type { Point } from '../drawing/geometry.js';
import { path } from '../drawing/svg-sheet.js';
import type { Cloth } from './cloth.js';
import type { Cut } from './cuts.js';
import type { Frame } from './frame.js';
import { bothSeams, down } from './trims/sewing.js';

const buttons = (cloth: Cloth, x: number, from: number, to: number, step: number, radius = 0.8): string => {
  const count = Math.max(1, Math.floor((to - from) / step) + 1);
  return Array.from({ length: count }, (_, i) => cloth.button(x, from + i * step, radius)).join('');
};

function zip(cloth: Cloth, line: readonly Point[]): string {
  const d = `M${line.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`).join('L')}`;
  const last = line[0] ?? [0, 0];
  return (
    path(d, { fill: 'none', stroke: cloth.dark, 'stroke-width': 1.5 }) +
    path(d, { fill: 'none', stroke: cloth.metal, 'stroke-width': 0.8, 'stroke-dasharray': '.36 .26' }) +
    `<rect x="${last[0] - 0.5}" y="${last[1] + 0.4}" width="1" height="2.8" rx=".4" fill="${cloth.metal}" stroke="${cloth.line}" stroke-width=".2"/>`
  );
}

/** How the front closes. */
export function drawFront(cloth: Cloth, cut: Cut, frame: Frame): string {
  const { hem } = frame;
  const [, depth] = frame.neck;
  switch (cut.front) {
    case 'closed':
      return '';
    case 'placket': {
      const low = cut.trims.includes('curved_hem') ? hem + 6.4 : hem + 1.2;
      return (
        bothSeams(cloth, down(1.7, depth, low), 0.32) +
        cloth.stitch(down(1.2, depth + 1, low)) +
        buttons(cloth, 0, depth + 4, low - 8, 9.4)
      );
    }
    case 'half': {
      const low = depth + (hem > 90 ? 26 : 14);
      const shape: Point[] = [
        [-1.6, depth - 0.4],
        [1.6, depth - 0.4],
        [1.6, low],
        [0, low + 1.6],
        [-1.6, low],
      ];
      return (
        cloth.piece(shape, { round: 0.4 }) + buttons(cloth, 0, depth + 2.6, low - 2, hem > 90 ? 6 : 4.6, 0.7)
      );
    }
    case 'buttons': {
      const open = cut.trims.includes('rounded_front');
      const end = open ? depth + 11 : hem - (cut.trims.includes('pointed_front') ? 2 : 8);
      const step = open ? 10 : hem > 90 ? 9 : 8;
      return (
        cloth.seam([
          [0.6, depth + 0.6],
          [0.8, hem],
        ]) + buttons(cloth, 0, depth + 2.2, end, step, 0.95)
      );
    }
    case 'double':
      return (
        cloth.seam([
          [4.6, depth - 6],
          [4.9, hem + 1],
        ]) + [-6.2, 6.2].map((x) => buttons(cloth, x, depth + 3, depth + 26, 11, 1.15)).join('')
      );
    case 'zip':
      return (
        bothSeams(cloth, down(1.2, depth, hem), 0.32) +
        zip(cloth, down(0, depth - (cut.collar === 'stand' ? 2.6 : 0), hem + 1))
      );
    case 'slant_zip':
      return (
        zip(cloth, [
          [-frame.neck[0] * 0.1 + 5.6, depth + 0.4],
          [3.6, depth + 14],
          [2, hem + 0.8],
        ]) +
        cloth.seam(
          [
            [-4.4, depth - 2],
            [-4, hem],
          ],
          0.26,
          0.5,
        )
      );
    case 'open':
      return cloth.seam(
        [
          [0, depth],
          [0.3, hem],
        ],
        0.5,
      );
    case 'wrap':
      return cloth.seam(
        [
          [frame.neck[0] * -0.7, depth * 0.2],
          [3, depth * 0.9],
          [9, cut.waist + 8],
          [11, hem],
        ],
        0.42,
      );
    default: {
      const unknown: never = cut.front;
      throw new RangeError(`no front ${String(unknown)}`);
    }
  }
}
