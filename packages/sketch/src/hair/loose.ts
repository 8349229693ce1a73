import { shade } from '../drawing/colour.js';
import { outline } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { path } from '../drawing/svg-sheet.js';
import type { HairPainter } from './hair-painter.js';
import { drawLock, type Lock } from './strands.js';

/** The curtain of hair on one side of the parting. `length` is the height at which it ends. */
function curtain(side: -1 | 1, part: number, length: number, volume: number): Point[][] {
  const down = (x: number, from: number): Point[] => {
    const steps = [0.2, 0.42, 0.64, 0.84, 1];
    const swell = [1.02, 1.06, 1.1, 1.04];
    // The lock narrows toward its tip; the outer hairs are a little shorter than the inner ones.
    const tip: Point = [side * (36.5 + (x - 38) * 0.3), length - Math.abs(x - 37) * 0.7];
    return [
      ...steps.slice(0, 4).map((t, i): Point => [side * x * (swell[i] ?? 1), from + (length - from) * t]),
      tip,
    ];
  };
  const v = volume;
  return [
    [
      [part, -10.5 - v * 0.4],
      [side * (15 + v * 0.6), -9 - v * 0.4],
      [side * (31 + v), 4],
      [side * (40 + v), 32],
      ...down(43 + v * 1.6, 62),
    ],
    [[part, -5], [side * 14, -2], [side * 29, 16], [side * 38, 42], ...down(40 + v * 0.7, 64)],
    [[part, 4], [side * 10, 7], [side * 24, 19], [side * 35, 42], ...down(36.5, 66)],
    [[part, 12.5], [side * 7 + part * 0.4, 14.5], [side * 20, 23], [side * 31.5, 42], ...down(32, 66)],
  ];
}

function paint(length: number, strands: number): HairPainter {
  return (pens, frame, spec) => {
    const random = spec.random.fork('hair');
    const { colour, texture } = spec.hair;
    const volume = (texture === 'straight' ? 1.5 : texture === 'wavy' ? 4.5 : 10) + random.between(-1, 1.5);
    const part = random.pick([0, 0, 7, -7]) + random.wobble(2);
    const end = length + random.between(-14, 14);
    const locks: Lock[] = ([-1, 1] as const).map((side) => ({
      guides: curtain(side, part, end + random.wobble(5), volume).map((guide) => frame.freely(guide)),
      strands,
      light: side === -1 ? 1 : 0.78,
    }));
    const b = end - (end < 140 ? 16 : 6);
    const w = 40 + volume;
    const back = frame.freely([
      [-w, 30],
      [0, -2],
      [w, 30],
      [w + 4, 90],
      [w + 3, b * 0.8],
      [w * 0.84, b],
      [0, b - 4],
      [-w * 0.84, b],
      [-w - 3, b * 0.8],
      [-w - 4, 90],
    ]);
    const backLocks: Lock = {
      guides: [-1, -0.4, 0.4, 1].map((u) =>
        frame.freely([
          [u * 30, 30],
          [u * w, 70],
          [u * w, b * 0.75],
          [u * w * 0.9, b + 3],
        ]),
      ),
      strands: Math.round(strands * 0.7),
      light: 0.1,
    };
    return {
      back:
        path(outline(back), { fill: shade(colour, -10) }) +
        drawLock(pens, backLocks, shade(colour, -5), texture),
      front: locks.map((lock) => drawLock(pens, lock, colour, texture)).join(''),
    };
  };
}

export const drawLoose: HairPainter = paint(216, 95);
export const drawBob: HairPainter = paint(116, 85);
