import { blend, shade } from '../../drawing/colour.js';
import { flow, polygon } from '../../drawing/curve.js';
import type { Point } from '../../drawing/geometry.js';
import { element, path } from '../../drawing/svg-sheet.js';
import { blot, hairlines, pen, toned, type Brush } from '../brush.js';
import { drawRidge } from '../sky.js';
import type { Anchor, Spot } from './anchor.js';

const FAR = { belongs: 'far', width: 0 } as const;

const placeX = (brush: Brush, { side }: Spot, share: number): number =>
  brush.camera.width * (0.5 + side * share);

const mountain: Anchor = {
  ...FAR,
  draw(brush, spot) {
    const { camera, colours } = brush;
    const random = brush.random.fork('mountain');
    const peak = (cx: number, rise: number, spread: number, depth: number): string => {
      const [x, top] = [cx * camera.width, camera.horizon - rise * camera.height];
      const half = spread * Math.max(camera.width, camera.height * 0.7);
      const at = (u: number, v: number): Point => [
        x + u * half + random.wobble(half * 0.04),
        top + v * (camera.horizon + 6 - top),
      ];
      const left = [at(-1, 1), at(-0.7, 0.72), at(-0.45, 0.5), at(-0.2, 0.2), at(0, 0)];
      const right = [at(0, 0), at(0.22, 0.26), at(0.42, 0.44), at(0.7, 0.76), at(1, 1)];
      const ridge = [at(0, 0), at(0.08, 0.3), at(-0.06, 0.6), at(0.1, 1)];
      const rock = blend(blend('#6f7f8c', colours.second, 0.22), colours.haze, depth);
      const [lit, dark] = [shade(rock, 6), shade(rock, -9)];
      const [a, b] = brush.light.side < 0 ? [lit, dark] : [dark, lit];
      const fade = (tone: string): string =>
        brush.sheet.linear(0, Math.round(top), 0, Math.round(camera.horizon), [
          [0, tone],
          [1, blend(tone, colours.haze, 0.6)],
        ]);
      const snow = [
        at(-0.13, 0.14),
        at(0, 0),
        at(0.15, 0.18),
        at(0.07, 0.16),
        at(0.03, 0.26),
        at(-0.04, 0.17),
      ];
      return [
        path(polygon([...left, ...ridge.slice(1)]), { fill: fade(a) }),
        path(polygon([...right, ...[...ridge].reverse()]), { fill: fade(b) }),
        path(polygon(snow), { fill: '#fbfaf6', 'fill-opacity': 0.8 }),
        pen(brush, [...left, ...right.slice(1)], 1.3, { opacity: 0.45, corners: true }),
      ].join('');
    };
    const shift = spot.side * 0.24;
    return peak(0.5 - shift * 1.3, 0.15, 0.5, 0.42) + peak(0.5 + shift, 0.24, 0.52, 0.12);
  },
};

/** How far down the water reaches from the vanishing line, as a share of the picture's height. */
export const SEA_DEPTH = 0.15;

const sea: Anchor = {
  ...FAR,
  draw(brush) {
    const { camera, colours, sheet } = brush;
    const random = brush.random.fork('sea');
    const deep = camera.height * SEA_DEPTH;
    const low = camera.horizon + deep;
    const water = blend('#5f97a6', colours.sky, 0.3);
    const paint = sheet.linear(0, Math.round(camera.horizon), 0, Math.round(low), [
      [0, blend(water, colours.skyLow, 0.35)],
      [0.5, water],
      [1, blend(water, '#a9cfc9', 0.45)],
    ]);
    const waves = Array.from({ length: 46 }, (): [Point, Point] => {
      const t = random.next() ** 1.5;
      const y = camera.horizon + deep * (0.04 + t * 0.94);
      const x = random.next() * camera.width;
      const long = camera.width * (0.02 + 0.09 * t) * random.next();
      return [
        [x, y],
        [x + long, y + random.wobble(1)],
      ];
    });
    const surf = Array.from({ length: 10 }, (_, i): Point => [
      (camera.width * i) / 9,
      low - camera.height * 0.012 + Math.sin(i * 1.8) * camera.height * 0.006,
    ]);
    return [
      element('rect', {
        x: -2,
        y: camera.horizon.toFixed(1),
        width: camera.width + 4,
        height: deep.toFixed(1),
        fill: paint,
      }),
      hairlines(brush, waves, 1.3, '#f6fbfa', 0.6),
      path(flow(surf), {
        fill: 'none',
        stroke: '#fbfdfb',
        'stroke-width': (5 * brush.unit).toFixed(1),
        'stroke-opacity': 0.75,
      }),
    ].join('');
  },
};

const boat: Anchor = {
  ...FAR,
  draw(brush, spot) {
    const { camera } = brush;
    const size = camera.height * 0.055;
    const [x, y] = [placeX(brush, spot, 0.27), camera.horizon + camera.height * 0.022];
    const at = (u: number, v: number): Point => [x + u * size, y - v * size];
    const hull = [at(-0.9, 0.24), at(-0.66, -0.06), at(0.6, -0.06), at(0.95, 0.3)];
    const sail = [at(0.02, 0.34), at(0, 1.9), at(0.75, 0.42)];
    const jib = [at(-0.06, 0.36), at(-0.02, 1.7), at(-0.66, 0.4)];
    return [
      path(polygon(sail), { fill: blend('#fbf5e8', spot.colour, 0.12) }),
      path(polygon(jib), { fill: spot.colour, 'fill-opacity': 0.85 }),
      path(polygon(hull), { fill: toned(brush, blend('#7a5638', spot.colour, 0.3), 0, 3) }),
      pen(brush, [at(0, 0.26), at(0, 1.1), at(-0.01, 1.98)], 1.6),
      pen(brush, sail, 1.1, { closed: true, corners: true }),
      pen(brush, jib, 1.1, { closed: true, corners: true }),
      pen(brush, hull, 1.3, { closed: true, corners: true }),
    ].join('');
  },
};

const dune: Anchor = {
  ...FAR,
  draw(brush) {
    const sand = blend('#dcbd8c', brush.colours.wall, 0.2);
    return [
      drawRidge(brush, 0.1, blend(sand, brush.colours.haze, 0.45), 0.1, 'dune-a'),
      drawRidge(brush, 0.06, blend(shade(sand, -6), brush.colours.haze, 0.2), 0.12, 'dune-b'),
    ].join('');
  },
};

const skyline: Anchor = {
  ...FAR,
  draw(brush) {
    const { camera, colours } = brush;
    const random = brush.random.fork('skyline');
    const row = (rise: number, haze: number): string => {
      const houses: string[] = [];
      for (let x = -10; x < camera.width;) {
        const w = camera.height * random.between(0.035, 0.085);
        const tall = camera.height * rise * random.between(0.45, 1);
        const tone = blend(random.pick([colours.wall, colours.second, colours.stone]), colours.haze, haze);
        const top = camera.horizon - tall;
        houses.push(
          path(`M${x} ${camera.horizon + 4}V${top}H${x + w}V${camera.horizon + 4}Z`, { fill: tone }),
        );
        if (random.chance(0.3))
          houses.push(
            path(`M${x + w * 0.15} ${top}Q${x + w * 0.5} ${top - w * 0.9} ${x + w * 0.85} ${top}Z`, {
              fill: shade(tone, -4),
            }),
          );
        const panes = Array.from({ length: 6 }, (_, i): [Point, Point] => {
          const [px, py] = [x + w * (0.25 + 0.25 * (i % 3)), top + tall * (0.2 + 0.28 * Math.floor(i / 3))];
          return [
            [px, py],
            [px, py + tall * 0.07],
          ];
        });
        houses.push(hairlines(brush, panes, 2.6, shade(tone, -14), 0.6));
        x += w * random.between(0.9, 1.15);
      }
      return houses.join('');
    };
    return row(0.17, 0.65) + row(0.1, 0.4);
  },
};

const sun: Anchor = {
  ...FAR,
  draw(brush, spot) {
    const { camera } = brush;
    const [x, y] = [placeX(brush, spot, 0.24), camera.horizon * 0.52];
    const r = camera.height * 0.055;
    const night = brush.light.level < 0.8;
    const halo = brush.sheet.radial(Math.round(x), Math.round(y), Math.round(r * 3.4), [
      [0, night ? '#f2eedd' : '#fff0c4', 0.85],
      [0.3, night ? '#e6e6ea' : '#ffdf9c', 0.35],
      [1, '#ffe9bf', 0],
    ]);
    return (
      element('circle', { cx: x, cy: y, r: r * 3.4, fill: halo }) +
      path(blot(brush.random.fork('sun'), [x, y], r, r, 0.03, 14), { fill: night ? '#f4efdf' : '#fbd58a' })
    );
  },
};

const cloud: Anchor = {
  ...FAR,
  draw(brush, spot) {
    const { camera } = brush;
    const random = brush.random.fork('cloud');
    const [cx, cy] = [placeX(brush, spot, 0.2), camera.horizon * 0.4];
    const size = camera.height * SEA_DEPTH;
    return Array.from({ length: 7 }, (_, i) =>
      path(
        blot(
          random,
          [cx + (i - 3) * size * 0.36, cy - Math.sin((i / 6) * 3.14) * size * 0.3],
          size * 0.36,
          size * 0.26,
          0.14,
        ),
        { fill: '#fffdf8', 'fill-opacity': 0.72 },
      ),
    ).join('');
  },
};

export const DISTANCE = { mountain, sea, boat, dune, skyline, sun, cloud };
