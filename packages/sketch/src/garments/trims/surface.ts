import { polygon } from '../../drawing/curve.js';
import { type Point } from '../../drawing/geometry.js';
import { group, path } from '../../drawing/svg-sheet.js';
import { contour, mirror, type Cloth } from '../cloth.js';
import { across, type Frame, type Trim } from '../frame.js';
import { both, bothSeams, down, sleeves, twice } from './sewing.js';

function quilting(cloth: Cloth, frame: Frame): string {
  const rows: string[] = [];
  for (let y = 13; y < frame.hem - 3; y += 8.4) {
    const edge: Frame = { ...frame, half: (at) => (at < 26 ? frame.half(26) - 4.4 : frame.half(at)) };
    rows.push(
      cloth.fold(
        across(edge, y, 0.8).map(([x, yy]): Point => [x, yy]),
        3.2,
        0.9,
      ),
    );
    const glow = across(edge, y - 4.4, 0.8);
    rows.push(
      path(`M${glow.map(([x, yy]) => `${x.toFixed(1)} ${yy.toFixed(1)}`).join('L')}`, {
        fill: 'none',
        stroke: '#fff',
        'stroke-opacity': 0.2,
        'stroke-width': 2,
        filter: cloth.sheet.blur(0.9),
      }),
    );
  }
  const { sleeve } = frame;
  if (sleeve) {
    for (let k = 1; k < 7; k++) {
      const above = (p: Point): Point => [p[0] - sleeve.down[0] * k * 7, p[1] - sleeve.down[1] * k * 7];
      const [o, i] = [above(sleeve.outer), above(sleeve.inner)];
      const grow = 1 + k * 0.07;
      const line: Point[] = [
        [i[0] + (o[0] - i[0]) * grow * 0.96, i[1] + (o[1] - i[1]) * grow * 0.96],
        [(o[0] + i[0]) / 2 + sleeve.down[0], (o[1] + i[1]) / 2 + sleeve.down[1]],
        [i[0] - (o[0] - i[0]) * (grow - 1) * 0.5, i[1] - (o[1] - i[1]) * (grow - 1) * 0.5],
      ];
      rows.push(cloth.fold(line, 2.6, 0.8), cloth.fold(mirror(line), 2.6, 0.8));
    }
  }
  const pieces = (frame.pieces ?? []).map((shape) => polygon(shape));
  return group({ 'clip-path': pieces.length > 0 ? cloth.sheet.clip(...pieces) : undefined }, ...rows);
}

const ruffleAt = (cloth: Cloth, frame: Frame, y: number, depth: number): string => {
  const top = frame.half(y);
  const low = frame.half(y + depth) + 2.4;
  const count = Math.max(4, Math.round(low / 4));
  const wave: Point[] = Array.from({ length: count * 4 + 1 }, (_, i): Point => {
    const u = 1 - i / (count * 2);
    return [u * low, y + depth + 1.4 * (1 - u * u) + (i % 2 ? 1.5 : -0.2)];
  });
  const shape = contour(
    [
      [-top, y],
      [0, y + 1],
      [top, y],
    ],
    wave,
  );
  return (
    cloth.piece(shape, { round: 0.7 }) +
    wave
      .filter((_, i) => i % 2 === 0)
      .slice(1, -1)
      .map(([x, yy]) =>
        cloth.fold(
          [
            [x, yy - 0.4],
            [x * 0.985, yy - depth * 0.4],
            [x * 0.95, y + 1.8],
          ],
          1.4,
          0.8,
        ),
      )
      .join('')
  );
};

const pleats = (cloth: Cloth, frame: Frame, from: number): string => {
  const count = 7;
  return Array.from({ length: count * 2 + 1 }, (_, i) => {
    const u = (i - count) / (count + 0.6);
    const line: Point[] = [0, 0.5, 1].map((t): Point => {
      const y = from + (frame.hem - from) * t;
      return [u * frame.half(y), y + 1.4 * (1 - u * u)];
    });
    return cloth.fold([...line].reverse(), 1.7, 0.95);
  }).join('');
};

/** Work on the cloth itself: seams, folds, pleats, ruffles, quilting. */
export const SURFACE: Readonly<Record<string, Trim>> = {
  gathers: (c, f) =>
    f.neckline
      .slice(1, -1)
      .map(([x, y]) =>
        bothSeams(
          c,
          [
            [x + 0.6, y + 0.6],
            [x + 2.4, y + 6],
          ],
          0.24,
        ),
      )
      .join('') + (f.sleeve ? sleeves(c, f, 3, { widen: -0.6 }) : ''),
  smocking: (c, f) =>
    [26, 29, 32, 35, 38].map((y) => c.seam(across(f, y, 0.6), 0.26, 0.55)).join('') +
    Array.from({ length: 17 }, (_, i) =>
      c.seam(
        [
          [(i - 8) * 2.1, 23.6],
          [(i - 8) * 2.05, 41],
        ],
        0.2,
        0.28,
      ),
    ).join(''),
  side_slits: (c, f) =>
    bothSeams(
      c,
      [
        [f.half(f.waist + 12) - 0.8, f.waist + 12],
        [f.half(f.hem) - 1.5, f.hem],
      ],
      0.5,
    ),
  waist_seam: (c, f) => c.seam(across(f, f.waist, 1), 0.44),
  gathered_skirt: (c, f) =>
    Array.from({ length: 15 }, (_, i) => {
      const u = (i - 7) / 7.6;
      return c.fold(
        [
          [u * f.half(f.waist), f.waist + 1.2],
          [u * f.half(f.waist + 9) * 1.02, f.waist + 6 + (i % 3) * 4],
        ],
        1.2,
        0.7,
      );
    }).join(''),
  bodice_drape: (c, f) =>
    [0, 1, 2, 3]
      .map((k) =>
        c.fold(
          [
            [-f.half(25 + k * 4) + 0.8, 22 + k * 3.4],
            [0, 28 + k * 4],
            [f.half(f.waist) - 0.5, f.waist - 6 + k * 2.4],
          ],
          1.6,
          0.8,
        ),
      )
      .join(''),
  train_folds: (c, f) =>
    [-0.7, -0.3, 0.15, 0.55, 0.85]
      .map((u, i) =>
        c.fold(
          [
            [u * f.half(f.hem), f.hem - 0.6],
            [u * f.half(f.hem - 30) * 0.9, f.hem - 30],
            [u * f.half(f.waist + 14) * 0.4, f.waist + 20 + i * 5],
          ],
          3.6,
          0.9,
        ),
      )
      .join(''),
  panels: (c, f) =>
    [-0.8, -0.52, -0.25, 0, 0.25, 0.52, 0.8]
      .map((u) =>
        c.fold(
          [
            [u * f.half(f.hem), f.hem - 5],
            [u * f.half(f.waist + 40), f.waist + 40],
            [u * f.half(f.waist), f.waist + 3],
          ],
          2.4,
          0.9,
        ),
      )
      .join(''),
  darts: (c, f) =>
    bothSeams(
      c,
      [
        [f.half(f.waist) * 0.52, 29],
        [f.half(f.waist) * 0.46, f.waist],
        [f.half(f.waist) * 0.5, f.waist + 10],
      ],
      0.26,
    ),
  yoke: (c, f) =>
    bothSeams(
      c,
      [
        [1.8, 15.4],
        [f.shoulder[0] - 0.6, 14.6],
      ],
      0.4,
    ) +
    twice(
      [
        [1.8, 16.2],
        [f.shoulder[0] - 0.6, 15.4],
      ],
      (line) => c.stitch(line),
    ),
  topstitch: (c, f) => twice(down(2.4, f.neck[1] + 1, f.hem - 5), (line) => c.stitch(line)),
  epaulettes: (c, f) =>
    both(
      c,
      [
        [f.neck[0] + 4, 1.6],
        [f.shoulder[0] + 0.6, f.shoulder[1] - 1.2],
        [f.shoulder[0] + 0.9, f.shoulder[1] + 1.2],
        [f.neck[0] + 3.6, 4.4],
      ],
      { round: 0.5 },
    ),
  storm_flap: (c, f) =>
    c.seam(
      [
        [f.neck[0] + 5, 13],
        [14, 28],
        [f.half(26) - 2.4, 24],
      ],
      0.4,
    ),
  quilting,
  arm_slits: (c, f) =>
    bothSeams(
      c,
      [
        [f.half(50) * 0.62, 34],
        [f.half(50) * 0.66, 56],
      ],
      0.5,
    ),
  ruffles: (c, f) => (f.hem > f.waist + 20 ? ruffleAt(c, f, f.hem - 13, 12) : ruffleAt(c, f, f.hem - 8, 7.6)),
  tiers: (c, f) =>
    [0.33, 0.66]
      .map((t) => ruffleAt(c, f, f.waist + (f.hem - f.waist) * t - 2, (f.hem - f.waist) * 0.3))
      .join('') + ruffleAt(c, f, f.hem - 14, 13),
  pleats: (c, f) => pleats(c, f, Math.min(f.waist + 2, f.hem - 20)),
  slit: (c, f) =>
    c.piece(
      contour(
        [
          [f.half(f.hem) * 0.42, f.hem + 1.2],
          [f.half(f.hem) * 0.36, f.hem - 24],
          [f.half(f.hem) * 0.34, f.hem - 44],
        ],
        [
          [f.half(f.hem) * 0.34, f.hem - 44],
          [f.half(f.hem) * 0.56, f.hem - 18],
          [f.half(f.hem) * 0.66, f.hem + 1],
        ],
      ),
      { colour: c.dark, bare: true, sheen: 0, round: 0.5 },
    ),
  topstitching: (c, f) => c.stitch(across(f, f.hem - 1.4, 1.5), c.fabric.accents[0] ?? c.light),
};
