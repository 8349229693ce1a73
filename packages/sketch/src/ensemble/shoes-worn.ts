import { shade, lightness } from '../drawing/colour.js';
import { outline } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { points } from '../drawing/points.js';
import { path } from '../drawing/svg-sheet.js';
import { stroke, type Pens } from '../figure/pens.js';
import { SIDES, type Rig } from '../figure/rig.js';
import type { Item } from './item.js';

type ShoeKind = 'pump' | 'flat' | 'sneaker' | 'laced' | 'sandal' | 'thong' | 'ankle_boot' | 'knee_boot';

const KINDS: Readonly<Record<string, ShoeKind>> = {
  sneakers: 'sneaker',
  loafers: 'flat',
  oxford_shoes: 'laced',
  ballet_flats: 'flat',
  pumps: 'pump',
  heeled_sandals: 'sandal',
  sandals: 'sandal',
  flip_flops: 'thong',
  ankle_boots: 'ankle_boot',
  knee_boots: 'knee_boot',
  juttis: 'flat',
};

const lightnessIn = ({ cut: { raster } }: Item, from: number, to: number): number => {
  let [sum, count] = [0, 0];
  for (let y = Math.floor(raster.height * from); y < raster.height * to; y += 3) {
    for (let x = 0; x < raster.width; x += 3) {
      const i = (y * raster.width + x) * 4;
      if ((raster.data[i + 3] ?? 0) < 200) continue;
      sum += ((raster.data[i] ?? 0) + (raster.data[i + 1] ?? 0) + (raster.data[i + 2] ?? 0)) / 3;
      count++;
    }
  }
  return sum / Math.max(1, count);
};

/** The kind of shoe in a cut-out: a shaft makes a boot, a pale sole a sneaker. */
function shoeKind(item: Item, gender: 'FEMALE' | 'MALE'): ShoeKind {
  const named = item.spec && KINDS[item.spec.category.key];
  if (named) return named;
  const tall = item.shape.height / item.shape.width;
  if (tall > 1.25) return 'knee_boot';
  if (tall > 0.85) return 'ankle_boot';
  if (lightnessIn(item, 0.88, 1) - lightnessIn(item, 0.3, 0.7) > 40 || lightnessIn(item, 0, 1) > 205)
    return 'sneaker';
  return gender === 'MALE' ? 'laced' : 'flat';
}

const BARE = points(
  '-9.4 -8, -9.4 8, -11 24, -14 40, -12.6 56, -7 68, 2 73, 9.5 67, 14.2 54, 14 38, 11.4 22, 9 8, 9 -8',
);
const SHAPES: Readonly<Record<ShoeKind, readonly Point[]>> = {
  pump: points(
    '-11.8 22, -14.6 40, -13 57, -6.4 71, 2.5 78, 9.9 70, 14.7 55, 14.8 37, 11.8 20, 10.2 34, 6.6 46, 0.5 52, -6 47, -9.8 36',
  ),
  flat: points(
    '-12.2 20, -15.6 40, -14.4 58, -8 70, 2 75, 11 70, 15.8 56, 15.6 38, 12.2 20, 10.4 34, 6.4 44, 0.5 48, -6 45, -9.9 34',
  ),
  laced: points(
    '-12.6 4, -14.5 22, -17.4 42, -18.4 60, -12 72, 1 76, 14 72, 19.4 58, 17.8 40, 14 20, 12.6 4, 6 9, -6 9',
  ),
  sneaker: points(
    '-12.8 0, -14.8 22, -18 42, -19.4 60, -13 73, 1 77, 15 73, 20.4 59, 18.4 40, 14.4 20, 12.8 0, 6 6, -6 6',
  ),
  sandal: points('-14 44, -13.6 56, -8 66, 2 70, 10 66, 14.6 54, 14.4 42, 0 38'),
  thong: points('-13 40, -10 34, 0 54, 10 34, 13 40, 3 60, -1 60'),
  ankle_boot: points(
    '-14 -32, -13.6 0, -15 22, -17.4 42, -18 60, -11 72, 2 77, 13 72, 18.6 58, 17.4 40, 14.8 20, 13.6 0, 14 -32, 0 -29',
  ),
  knee_boot: points(
    '-14 -20, -13.6 0, -15 22, -17.4 42, -18 60, -11 72, 2 77, 13 72, 18.6 58, 17.4 40, 14.8 20, 13.6 0, 14 -20',
  ),
};

/** The shaft of a high boot follows the leg. */
function shaft(pens: Pens, rig: Rig, name: 'left' | 'right', colour: string): string {
  const leg = rig.legs[name];
  const shape = leg.strip(-1, 1, 0.62, 1, 4.4);
  const s = leg.side;
  const top = [leg.point(0.62, -1, 4.4), leg.point(0.625, 0), leg.point(0.62, 1, 4.4)];
  return [
    path(`M${shape.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}Z`, { fill: colour }),
    path(outline(leg.sliver(0.25 * s, 1 * s, 0.63, 0.99, 4)), {
      fill: shade(colour, -13),
      'fill-opacity': 0.75,
    }),
    path(outline(leg.sliver(-0.3 * s, -0.7 * s, 0.64, 0.95, 3)), {
      fill: shade(colour, 18),
      'fill-opacity': 0.55,
    }),
    stroke(pens, leg.edge(1, 0.62, 1, 4.4), 1.6),
    stroke(pens, leg.edge(-1, 0.62, 1, 4.4), 1.4),
    stroke(pens, top, 1.3),
  ].join('');
}

function details(pens: Pens, kind: ShoeKind, colour: string, put: (p: readonly Point[]) => Point[]): string {
  const line = (text: string, width: number, tone?: string): string =>
    stroke(pens, put(points(text)), width, tone ? { colour: tone } : {});
  const pale = lightness(colour) > 70 ? shade(colour, -10) : '#efeae0';
  switch (kind) {
    case 'sneaker':
      return (
        path(
          outline(
            put(points('-19.6 58, -19 66, -12 75, 1 79, 14 75, 20 65, 20.6 57, 14 67, 1 70.6, -12 67')),
          ),
          { fill: pale },
        ) +
        line('-19.6 58, -12 67, 1 70.6, 14 67, 20.6 57', 1) +
        line('-15 50, -6 46, 7 46, 16 50', 0.8) +
        [14, 21, 28, 35].map((y) => line(`-6 ${y + 1}, 0 ${y - 1}, 6 ${y + 1}`, 1.5, pale)).join('')
      );
    case 'laced':
      return (
        line('-15 50, -6 45, 6 45, 15.4 50', 0.9) +
        [18, 25, 32].map((y) => line(`-5 ${y + 1}, 0 ${y - 1}, 5 ${y + 1}`, 0.9)).join('') +
        line('-18 63, -11 71, 1 73.4, 13 71, 19 61', 0.8)
      );
    case 'sandal':
      return (
        path(outline(put(points('-12 2, -12.6 10, 0 14, 12.6 10, 12 2, 0 6'))), { fill: colour }) +
        line('-12 2, 0 6, 12 2', 0.8) +
        line('-12.6 10, 0 14, 12.6 10', 0.8) +
        [-6, -1, 4, 8].map((x) => line(`${x} 62, ${x + 0.6} 68`, 0.6)).join('')
      );
    case 'thong':
      return [-7, -2, 3, 8].map((x) => line(`${x} 61, ${x + 0.6} 68`, 0.6)).join('');
    case 'ankle_boot':
    case 'knee_boot':
      return line('-14.6 20, -4 25, 6 24, 14 19', 0.8) + line('-17.6 62, -10 70, 2 74, 12 70, 18.2 60', 0.8);
    case 'pump':
    case 'flat':
      return '';
    default: {
      const unknown: never = kind;
      throw new RangeError(`no such shoe: ${String(unknown)}`);
    }
  }
}

/** Both shoes from the front, over the feet. */
export function drawShoesWorn(pens: Pens, rig: Rig, item: Item): string {
  const kind = shoeKind(item, rig.spec.gender);
  const colour = item.colours[0]?.hex ?? '#444444';
  const back = rig.weightSide === 'left' ? 'right' : 'left';
  const male = rig.spec.gender === 'MALE';
  const order = [...SIDES].sort(([a]) => (a === back ? -1 : 1));
  return order
    .map(([name, side]) => {
      const leg = rig.legs[name];
      const ankle = leg.point(1, 0);
      const turn = side === rig.spec.lean ? 3 : 10;
      const scale = male ? 1.14 : 1.02;
      const put = (shape: readonly Point[]): Point[] =>
        shape.map(([x, y]) => [ankle[0] + (x + (turn * Math.max(0, y)) / 75) * side * scale, ankle[1] + y]);
      const open = kind === 'sandal' || kind === 'thong';
      const sole = open
        ? path(outline(put(BARE.map(([x, y]): Point => [x * 1.12, y > 20 ? y + 3.6 : 30]))), {
            fill: shade(colour, -18),
          })
        : '';
      const skin =
        open || (male && kind !== 'ankle_boot' && kind !== 'knee_boot')
          ? path(outline(put(BARE)), { fill: pens.palette.skin })
          : '';
      const instep = open ? stroke(pens, put(BARE), 1.1) : '';
      const shape = SHAPES[kind];
      return [
        kind === 'knee_boot' ? shaft(pens, rig, name, colour) : '',
        sole,
        skin,
        instep,
        path(outline(put(shape)), { fill: colour }),
        open
          ? ''
          : path(outline(put(points('4 30, 9 44, 14 40, 15.6 54, 10 68, 3 72, 8 60'))), {
              fill: shade(colour, -14),
              'fill-opacity': 0.75,
            }),
        open
          ? ''
          : path(outline(put(points('-9 48, -9.4 58, -4 68, -6 58, -7 49'))), {
              fill: shade(colour, 22),
              'fill-opacity': 0.7,
            }),
        stroke(pens, [...put(shape), ...put(shape.slice(0, 1))], 1.2, { ends: [0.6, 0.6] }),
        details(pens, kind, colour, put),
      ].join('');
    })
    .join('');
}
