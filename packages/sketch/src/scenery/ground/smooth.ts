import { blend, shade } from '../../drawing/colour.js';
import { flow } from '../../drawing/curve.js';
import type { Point } from '../../drawing/geometry.js';
import { path } from '../../drawing/svg-sheet.js';
import { blot, hairlines, litBy, on, rule, toned, UP, type Brush } from '../brush.js';
import { perMetre } from '../camera.js';
import { squash } from '../solids.js';
import { span, type GroundArea } from './area.js';

const far = (area: GroundArea, most: number): number => Math.min(area.far, most);

/** Large cast slabs with their joints and the stains of use. */
export function drawConcrete(brush: Brush, area: GroundArea): string {
  const end = far(area, 16);
  const [left, right] = span(brush, end);
  const joints: string[] = [];
  for (let x = Math.floor(left / 1.5) * 1.5 + 0.6; x < right; x += 1.5) {
    joints.push(rule(brush, on(brush, x, 0, area.near), on(brush, x, 0, end), 1.5, { opacity: 0.45 }));
  }
  for (let z = 2; z < end; z += 1.5) {
    const [l, r] = span(brush, z);
    joints.push(rule(brush, on(brush, l, 0, z), on(brush, r, 0, z), 1.3, { opacity: 0.4 }));
  }
  return strokes(brush, area, 14, [-7, 5, -4], 0.3) + joints.join('');
}

/** Broad, flat brush marks: the ground of a painted set. */
function strokes(
  brush: Brush,
  area: GroundArea,
  count: number,
  steps: readonly number[],
  opacity: number,
): string {
  const random = brush.random.fork('strokes');
  return Array.from({ length: count }, () => {
    const t = random.next();
    const z = 1 / (t / area.near + (1 - t) / far(area, 14));
    const [left, right] = span(brush, z);
    const r = random.between(0.15, 0.4) * (right - left) * perMetre(brush.camera, z);
    const tone = shade(area.colour, random.pick(steps), 1.06);
    return path(
      blot(random, on(brush, random.between(left, right), 0, z), r, r * squash(brush, 0, z) * 0.5, 0.2, 14),
      {
        fill: toned(brush, tone, litBy(brush, UP), z),
        'fill-opacity': opacity,
      },
    );
  }).join('');
}

export function drawStrokes(brush: Brush, area: GroundArea): string {
  const { second, accent } = brush.colours;
  const tinted = { ...area, colour: blend(area.colour, second, 0.35) };
  const streak = { ...area, colour: blend(area.colour, accent, 0.3) };
  return strokes(brush, tinted, 30, [-9, 7, 3], 0.38) + strokes(brush, streak, 7, [0, 6], 0.22);
}

export function drawTerrazzo(brush: Brush, area: GroundArea): string {
  const random = brush.random.fork('terrazzo');
  const { accent, second, wall, stone } = brush.colours;
  const chips = [accent, second, shade(wall, -24), stone, '#fbf7ef', shade(stone, -30)];
  return Array.from({ length: 620 }, () => {
    const t = random.next();
    const z = 1 / (t / area.near + (1 - t) / far(area, 9));
    const [left, right] = span(brush, z);
    const r = random.between(0.008, 0.03) * perMetre(brush.camera, z);
    return path(blot(random, on(brush, random.between(left, right), 0, z), r, r * 0.5, 0.3, 5), {
      fill: toned(brush, random.pick(chips), litBy(brush, UP), z),
      'fill-opacity': 0.75,
    });
  }).join('');
}

/** Slabs of marble with veins that wander across them. */
export function drawMarble(brush: Brush, area: GroundArea): string {
  const random = brush.random.fork('marble');
  const end = far(area, 14);
  const vein = blend(shade(area.colour, -24), brush.colours.second, 0.25);
  const veins = Array.from({ length: 26 }, () => {
    const t = random.next();
    const z = 1 / (t / area.near + (1 - t) / end);
    const [left, right] = span(brush, z);
    let [x, depth] = [random.between(left, right), z];
    const line = Array.from({ length: 7 }, (): Point => {
      x += random.between(0.04, 0.2);
      depth += random.wobble(0.16);
      return on(brush, x, 0, Math.max(area.near, depth));
    });
    return path(flow(line), {
      fill: 'none',
      stroke: vein,
      'stroke-width': (random.between(0.6, 2.4) * brush.unit).toFixed(2),
      'stroke-opacity': random.between(0.2, 0.5).toFixed(2),
    });
  });
  const [left, right] = span(brush, end);
  const joints: string[] = [];
  for (let x = Math.floor(left); x < right; x += 0.9) {
    joints.push(rule(brush, on(brush, x, 0, area.near), on(brush, x, 0, end), 1, { opacity: 0.4 }));
  }
  for (let z = 1.8; z < end; z += 0.9) {
    const [l, r] = span(brush, z);
    joints.push(rule(brush, on(brush, l, 0, z), on(brush, r, 0, z), 1, { opacity: 0.35 }));
  }
  return strokes(brush, area, 12, [5, -5], 0.3) + veins.join('') + joints.join('');
}

/** Short pile in bands. */
export function drawCarpet(brush: Brush, area: GroundArea): string {
  const random = brush.random.fork('carpet');
  const pile = Array.from({ length: 900 }, (): [Point, Point] => {
    const t = random.next();
    const z = 1 / (t / area.near + (1 - t) / far(area, 9));
    const [left, right] = span(brush, z);
    const [x, y] = on(brush, random.between(left, right), 0, z);
    const tall = 0.012 * perMetre(brush.camera, z);
    return [
      [x, y],
      [x + random.wobble(tall), y - tall],
    ];
  });
  return (
    strokes(brush, area, 16, [-6, 6], 0.3) +
    hairlines(brush, pile.slice(0, 450), 1, shade(area.colour, -16), 0.35) +
    hairlines(brush, pile.slice(450), 1, shade(area.colour, 12), 0.35)
  );
}

/** Still water: horizontal streaks that mirror the sky and the things above the water. */
export function drawWater(brush: Brush, area: GroundArea): string {
  const random = brush.random.fork('water');
  const { sky, skyLow, wall, leaf } = brush.colours;
  const tones = [
    sky,
    skyLow,
    blend(area.colour, wall, 0.4),
    blend(area.colour, leaf, 0.3),
    shade(area.colour, -12),
  ];
  return Array.from({ length: 90 }, () => {
    const t = random.next();
    const z = 1 / (t / area.near + (1 - t) / far(area, 40));
    const [left, right] = span(brush, z);
    const half = random.between(0.05, 0.3) * (right - left) * perMetre(brush.camera, z);
    const [x, y] = on(brush, random.between(left, right), 0, z);
    const thick = brush.unit * Math.min(7, 9 / z + 0.6) * random.between(0.5, 1.2);
    const line: Point[] = [
      [x - half, y],
      [x - half * 0.3, y - thick],
      [x + half * 0.4, y - thick * 0.6],
      [x + half, y],
      [x + half * 0.2, y + thick * 0.7],
      [x - half * 0.5, y + thick * 0.5],
    ];
    return path(flow(line, true), {
      fill: toned(brush, random.pick(tones), 0, z),
      'fill-opacity': random.between(0.2, 0.6).toFixed(2),
    });
  }).join('');
}
