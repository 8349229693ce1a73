import { blend, shade } from '../../drawing/colour.js';
import { flow, outline } from '../../drawing/curve.js';
import { lerp, type Point } from '../../drawing/geometry.js';
import { path } from '../../drawing/svg-sheet.js';
import { litBy, on, pen, toned, UP, wash, weightAt, type Brush } from '../brush.js';
import { seen, topOf } from '../camera.js';
import { drawGround } from '../ground/ground.js';
import { drape } from '../solids.js';
import type { Place, Site } from './place.js';
import { behindCloth, inside, spotsOn } from './studio-space.js';

/** A length of cloth slung between two points under the ceiling. */
function swag(
  brush: Brush,
  [x0, x1]: readonly [number, number],
  y: number,
  sag: number,
  z: number,
  colour: string,
): string {
  const rows = Array.from({ length: 6 }, (_, k) =>
    Array.from({ length: 9 }, (_, i): Point => {
      const t = i / 8;
      const dip = Math.sin(Math.PI * t);
      return on(brush, lerp(x0, x1, t), y - 0.06 * k - sag * dip * (0.55 + 0.17 * k), z);
    }),
  );
  const bands = rows.slice(1).map((low, k) => {
    const high = rows[k] ?? low;
    const tone = toned(brush, colour, k % 2 ? -0.55 : 0.5, z);
    return path(`${flow(high)}${flow([...low].reverse()).replace('M', 'L')}Z`, { fill: tone });
  });
  return (
    bands.join('') +
    rows
      .map((line, k) =>
        pen(brush, line, weightAt(z, k === 0 || k === 5 ? 1.6 : 1), {
          opacity: k === 0 || k === 5 ? 0.8 : 0.4,
        }),
      )
      .join('')
  );
}

/** Cloth heaped on the floor: rounded folds, one over the other. */
function heap(brush: Brush, x: number, z: number, width: number, colour: string, label: string): string {
  const random = brush.random.fork(`heap${label}`);
  const lit = litBy(brush, UP);
  return [0, 1, 2]
    .map((k) => {
      const reach = width * (1 - 0.22 * k);
      const line = Array.from({ length: 9 }, (_, i): Point => {
        const t = i / 8;
        return on(
          brush,
          x + (t - 0.5) * reach,
          Math.sin(Math.PI * t) * (0.05 + 0.05 * k) + random.wobble(0.015),
          z - 0.12 * k,
        );
      });
      const front = Array.from({ length: 7 }, (_, i): Point => {
        const t = 1 - i / 6;
        return on(
          brush,
          x + (t - 0.5) * reach * 1.05,
          0,
          z - 0.12 * k - 0.34 * Math.sin(Math.PI * t) - random.next() * 0.05,
        );
      });
      return (
        wash(
          brush,
          outline([...line, ...front]),
          toned(brush, shade(colour, 3 - k * 2), lit - 0.25 + 0.25 * k, z),
        ) +
        pen(brush, line, weightAt(z, 1.2), { opacity: 0.5 }) +
        pen(brush, front, weightAt(z, 1.5), { opacity: 0.8 })
      );
    })
    .join('');
}

/** Lengths of cloth at several depths. One is slung across, and the ends lie on the floor. */
export function textileInstallation(site: Site): Place {
  const { brush, rear } = site;
  const { colours, camera } = brush;
  const random = brush.random.fork('cloths');
  const [left, right] = seen(camera, rear);
  const breadth = right - left;
  const top = topOf(camera, rear) + 0.15;
  const pale = blend(colours.wall, '#f8f1e6', 0.62);
  const behind = behindCloth(site, 0.7, 3.6, blend(colours.wall, '#f1e9db', 0.3), [3, 2]);
  // Outdoors the cloths leave gaps through which the landscape is visible.
  const open = site.overhead === 'sky' || site.hasFar;
  const pieces: [number, number, string][] = open
    ? [
        [-0.52, -0.2, colours.wall],
        [0.12, 0.5, pale],
      ]
    : [
        [-0.56, -0.2, pale],
        [-0.24, 0.2, colours.wall],
        [0.16, 0.56, pale],
      ];
  const backRow = pieces.map(([a, b, colour]) =>
    drape(
      brush,
      [left + breadth * (a + 0.5), left + breadth * (b + 0.5)],
      [0, top - random.between(0, 0.12)],
      rear,
      colour,
      { flare: 1.03, pool: true },
    ),
  );
  const mid = rear - 0.7;
  const [midLeft, midRight] = seen(camera, mid);
  const wide = midRight - midLeft;
  const side = brush.light.side;
  const hang = (a: number, b: number, low: number, colour: string, flare: number): string => {
    const [x0, x1] = [midLeft + wide * a, midLeft + wide * b];
    return drape(brush, [Math.min(x0, x1), Math.max(x0, x1)], [low, topOf(camera, mid) + 0.1], mid, colour, {
      flare,
      pool: low <= 0,
    });
  };
  const [first, second] =
    side < 0
      ? [
          [0.02, 0.2],
          [0.8, 0.96],
        ]
      : [
          [0.8, 0.98],
          [0.04, 0.2],
        ];
  const cord = pen(
    brush,
    [
      on(brush, left, top - 0.35, rear),
      on(brush, (left + right) / 2, top - 0.42, rear),
      on(brush, right, top - 0.33, rear),
    ],
    2,
  );
  return {
    svg: [
      behind,
      drawGround(brush, site.ground, open && site.overhead === 'sky' ? 60 : rear + 0.7),
      open ? cord : '',
      ...backRow,
      swag(
        brush,
        [left + breadth * 0.08, left + breadth * 0.92],
        top - 0.16,
        0.34,
        rear - 0.3,
        colours.second,
      ),
      hang(first?.[0] ?? 0, first?.[1] ?? 0.2, 0, colours.second, 1.12),
      hang(second?.[0] ?? 0.8, second?.[1] ?? 1, 0.5, colours.accent, 1.05),
      heap(
        brush,
        midLeft + wide * (((first?.[0] ?? 0) + (first?.[1] ?? 0.2)) / 2),
        mid - 0.05,
        0.75,
        colours.second,
        'a',
      ),
    ].join(''),
    walls: spotsOn(site, rear - 0.06, top, colours.wall, inside(brush, rear, 9)),
    back: mid - 0.3,
  };
}
