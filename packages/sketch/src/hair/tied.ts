import { shade } from '../drawing/colour.js';
import { flow, outline } from '../drawing/curve.js';
import { lerp, type Point } from '../drawing/geometry.js';
import { ink } from '../drawing/ink.js';
import { path } from '../drawing/svg-sheet.js';
import type { HeadFrame } from '../face/head-frame.js';
import type { Pens } from '../figure/pens.js';
import { drawCurls, scalloped } from './curls.js';
import type { HairPainter } from './hair-painter.js';
import { drawCap, drawLock, strandColour, type Cap } from './strands.js';
import { points } from '../drawing/points.js';

export function skullCap(frame: HeadFrame, height = 8, width = 38): Cap {
  return {
    hairline: frame.all(
      points(
        '-34.5 58, -33 47, -31 34, -22.5 21.5, -10 15.5, 0 14, 10 15.5, 22.5 21.5, 31 34, 33 47, 34.5 58',
      ),
    ),
    crown: frame.freely([
      [-35.5, 58],
      [-width, 38],
      [-width + 2, 18],
      [-27, 0],
      [-13, -height + 0.5],
      [0, -height - 1],
      [13, -height + 0.5],
      [27, 0],
      [width - 2, 18],
      [width, 38],
      [35.5, 58],
    ]),
  };
}

/**
 * A few short hairs that come loose at temple and nape. Without them, pulled-back hair does not look like hair.
 */
function wisps(pens: Pens, frame: HeadFrame, colour: string): string {
  const random = pens.random.fork('wisps');
  return ([-1, 1] as const)
    .flatMap((side) =>
      Array.from({ length: 4 }, () => {
        const x = 33 + random.between(-1.5, 1.5);
        const y = random.between(40, 54);
        const curve: Point[] = [
          [side * x, y],
          [side * (x + 1.2), y + 10],
          [side * (x - 1.2), y + random.between(18, 34)],
        ];
        return path(ink(frame.freely(curve), { width: 0.7, ends: [0.6, 0.05] }), {
          fill: colour,
          'fill-opacity': 0.75,
        });
      }),
    )
    .join('');
}

const pulledTo =
  (target: number) => (random: { between(a: number, b: number): number; wobble(s: number): number }) => {
    const s0 = random.between(0.01, 0.99);
    return [s0, 0, lerp(s0, target, 0.55) + random.wobble(0.015), 1, 1.2] as const;
  };

export const drawBun: HairPainter = (pens, frame, spec) => {
  const { colour, texture } = spec.hair;
  const random = spec.random.fork('bun');
  const high = random.chance(0.6);
  const [cx, cy] = frame.free(random.wobble(3), high ? -17 : -9);
  const [rx, ry] = high ? [18, 15.5] : [14, 9];
  const ring = Array.from({ length: 14 }, (_, i): Point => [
    cx + Math.cos((i / 14) * 6.283) * rx,
    cy + Math.sin((i / 14) * 6.283) * ry,
  ]);
  const curly = texture === 'curly' || texture === 'coily';
  const coils = Array.from({ length: 46 }, () => {
    const a = random.next() * 6.28;
    const r = random.between(0.25, 0.98);
    const arc = Array.from({ length: 6 }, (_, i): Point => {
      const t = i / 5;
      const rr = r * (1 - 0.18 * t);
      return [cx + Math.cos(a + t * 1.7) * rx * rr, cy + Math.sin(a + t * 1.7) * ry * rr];
    });
    return path(ink(arc, { width: random.between(0.7, 1.7), ends: [0.3, 0.1] }), {
      fill: strandColour(colour, random, 0.8),
      'fill-opacity': 0.8,
    });
  });
  const knot = curly
    ? drawCurls(
        pens,
        scalloped(ring, 2.4, random),
        colour,
        90,
        [1.6, 3.6],
        (r) => {
          const [a, d] = [r.next() * 6.28, Math.sqrt(r.next())];
          return [cx + Math.cos(a) * rx * d, cy + Math.sin(a) * ry * d];
        },
        ([x, y]) => (x < cx && y < cy ? 1 : 0.4),
      )
    : path(outline(ring), { fill: shade(colour, -7) }) + coils.join('');
  return {
    back: knot,
    front:
      drawCap(pens, skullCap(frame), colour, 190, pulledTo(0.5), { clip: true }) + wisps(pens, frame, colour),
  };
};

export const drawPonytail: HairPainter = (pens, frame, spec) => {
  const { colour, texture } = spec.hair;
  const side = spec.face.yaw > 0 ? -1 : 1;
  const tail = {
    guides: [
      [
        [side * 26, 62],
        [side * 40, 84],
        [side * 47, 118],
        [side * 50, 156],
        [side * 44, 196],
      ],
      [
        [side * 25, 66],
        [side * 34, 92],
        [side * 38, 126],
        [side * 41, 160],
        [side * 41, 199],
      ],
      [
        [side * 22, 70],
        [side * 27, 98],
        [side * 28, 130],
        [side * 31, 164],
        [side * 38, 192],
      ],
    ].map((guide) => frame.freely(guide.map(([x = 0, y = 0]): Point => [x, y]))),
    strands: 80,
    light: 0.85,
  };
  return {
    back: path(outline(frame.freely(points('-33 40, 0 20, 33 40, 22 82, 0 88, -22 82'))), {
      fill: shade(colour, -9),
    }),
    over: drawLock(pens, tail, colour, texture),
    front:
      drawCap(
        pens,
        skullCap(frame, 6.5, 37),
        colour,
        190,
        (r) => {
          const s0 = r.between(0.01, 0.99);
          return [s0, 0, s0 + (s0 - 0.5) * 0.12, 1, 0.6];
        },
        { clip: true },
      ) + wisps(pens, frame, colour),
  };
};

/** One rope of a braid: overlapping lobes down a line. */
function rope(pens: Pens, line: readonly Point[], width: number, colour: string, seed: string): string {
  const random = pens.random.fork(seed);
  const lobes = line.slice(1).map(([x, y], i) => {
    const [px, py] = line[i] ?? [x, y];
    const [mx, my] = [(x + px) / 2, (y + py) / 2];
    const lean = i % 2 ? 1 : -1;
    const w = width * (1 - (0.45 * i) / line.length);
    const lobe: Point[] = [
      [px - w * 0.2 * lean, py - 1],
      [mx + w * 0.62 * lean, my - 0.5],
      [x + w * 0.15 * lean, y + 1.6],
      [mx - w * 0.4 * lean, my + 0.6],
    ];
    const tone = strandColour(colour, random, x < 0 ? 0.9 : 0.55);
    return path(outline(lobe), { fill: tone, stroke: shade(colour, -10), 'stroke-width': 0.35 });
  });
  return (
    path(flow(line), {
      fill: 'none',
      stroke: shade(colour, -8),
      'stroke-width': width,
      'stroke-linecap': 'round',
    }) + lobes.join('')
  );
}

export const drawBraids: HairPainter = (pens, frame, spec) => {
  const { colour } = spec.hair;
  const random = spec.random.fork('braids');
  const fall = (x: number, end: number): Point[] => {
    const side = Math.sign(x) || 1;
    const out = Math.abs(x);
    const turn: Point[] = [
      [x * 0.5, -8.5 + (out / 36) ** 2 * 5],
      [side * (out * 0.5 + 15), 3 + (out / 36) * 3],
      [side * (out * 0.3 + 31), 42],
      [side * (out * 0.32 + 32), 80],
    ];
    const rest = Array.from({ length: 9 }, (_, i): Point => [
      side * (out * 0.42 + 32 + random.wobble(1)),
      92 + ((end - 92) * i) / 8,
    ]);
    return [...turn, ...rest];
  };
  const dense = (points: readonly Point[]): Point[] =>
    points.flatMap((p, i): Point[] => {
      const next = points[i + 1];
      return next ? [p, [(p[0] + next[0]) / 2, (p[1] + next[1]) / 2]] : [p];
    });
  const columns = [-36, -30, -24, -18, -12, -6, 6, 12, 18, 24, 30, 36];
  const ropes = columns.map((x, i) =>
    rope(pens, dense(frame.freely(fall(x, random.between(190, 232)))), 5.6, colour, `rope${i}`),
  );
  return {
    back: path(outline(frame.freely(points('-40 30, 0 -4, 40 30, 45 120, 40 190, -40 190, -45 120'))), {
      fill: shade(colour, -9),
    }),
    front:
      drawCap(
        pens,
        skullCap(frame, 7.5),
        colour,
        130,
        (r) => {
          const s0 = r.between(0.01, 0.99);
          return [s0, 0, s0, 1, 0.3];
        },
        { clip: true, width: [0.8, 2.2] },
      ) + ropes.join(''),
  };
};
