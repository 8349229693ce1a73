import { blend, shade } from '../../drawing/colour.js';
import { flow } from '../../drawing/curve.js';
import type { Point } from '../../drawing/geometry.js';
import type { SeededRandom } from '../../drawing/seeded-random.js';
import { path } from '../../drawing/svg-sheet.js';
import { blot, hairlines, litBy, on, toned, UP, type Brush } from '../brush.js';
import { perMetre } from '../camera.js';
import { squash } from '../solids.js';
import { span, type GroundArea } from './area.js';

/**
 * A random place on the floor. Places are spread evenly over the picture's rows, so near ones are more likely.
 */
function somewhere(brush: Brush, random: SeededRandom, near: number, far: number): readonly [number, number] {
  const t = random.next();
  const z = 1 / (t / near + (1 - t) / far);
  const [left, right] = span(brush, z);
  return [random.between(left, right), z];
}

/** Flat patches of another colour, in perspective. */
function patches(
  brush: Brush,
  area: GroundArea,
  random: SeededRandom,
  count: number,
  size: number,
  colours: readonly string[],
  opacity: number,
): string {
  const lit = litBy(brush, UP);
  return Array.from({ length: count }, () => {
    const [x, z] = somewhere(brush, random, area.near, Math.min(area.far, 40));
    const r = size * random.between(0.5, 1.5) * (1 + z * 0.12) * perMetre(brush.camera, z);
    const flat = Math.max(0.04, squash(brush, 0, z)) * random.between(0.8, 1.3);
    return path(blot(random, on(brush, x, 0, z), r, r * flat, 0.22), {
      fill: toned(brush, random.pick(colours), lit, z),
      'fill-opacity': (opacity * random.between(0.5, 1)).toFixed(2),
    });
  }).join('');
}

/** Tufts of blades; farther ones are smaller and paler. */
export function tufts(
  brush: Brush,
  area: GroundArea,
  random: SeededRandom,
  count: number,
  height: number,
  colours: readonly string[],
): string {
  const byTone = new Map<string, [Point, Point][]>();
  for (let i = 0; i < count; i++) {
    const [x, z] = somewhere(brush, random, area.near, Math.min(area.far, 22));
    const base = on(brush, x, 0, z);
    const scale = perMetre(brush.camera, z);
    const step = Math.round(Math.min(5, z / 3));
    const tone = toned(brush, random.pick(colours), litBy(brush, UP), step * 3 + 1.5);
    const lines = byTone.get(tone) ?? [];
    for (let k = 0; k < 6; k++) {
      const lean = random.wobble(0.8);
      const tall = height * random.between(0.4, 1) * scale;
      const root: Point = [base[0] + random.wobble(0.05) * scale, base[1]];
      lines.push([root, [root[0] + lean * tall * 0.6, root[1] - tall]]);
    }
    byTone.set(tone, lines);
  }
  return [...byTone].map(([tone, lines]) => hairlines(brush, lines, 1.1, tone, 0.7)).join('');
}

function specks(
  brush: Brush,
  area: GroundArea,
  random: SeededRandom,
  count: number,
  radius: number,
  colours: readonly string[],
): string {
  return Array.from({ length: count }, () => {
    const [x, z] = somewhere(brush, random, area.near, Math.min(area.far, 12));
    const r = Math.max(0.5, radius * random.between(0.4, 1.3) * perMetre(brush.camera, z));
    return path(blot(random, on(brush, x, 0, z), r, r * 0.62, 0.2, 6), {
      fill: toned(brush, random.pick(colours), litBy(brush, UP), z),
      'fill-opacity': 0.8,
    });
  }).join('');
}

/** Earth with grass: bare soil shows through patches of green. */
export function drawEarth(brush: Brush, area: GroundArea): string {
  const random = brush.random.fork('earth');
  const { leaf, accent } = brush.colours;
  const greens = [leaf, shade(leaf, 8), shade(leaf, -7), blend(leaf, '#b8a55a', 0.4)];
  return [
    patches(brush, area, random, 34, 0.5, greens, 0.7),
    patches(brush, area, random, 9, 0.3, [shade(area.colour, 6), shade(area.colour, -6)], 0.6),
    tufts(brush, area, random, 170, 0.11, [...greens, shade(leaf, -16)]),
    specks(brush, area, random, 26, 0.018, [accent, shade(accent, 14), '#f3ead2']),
    specks(brush, area, random, 20, 0.028, [shade(area.colour, -14), shade(area.colour, 12)]),
  ].join('');
}

export function drawMoss(brush: Brush, area: GroundArea): string {
  const random = brush.random.fork('moss');
  const tones = [shade(area.colour, 9, 1.2), shade(area.colour, -9), blend(area.colour, '#a8713a', 0.45)];
  return (
    patches(brush, area, random, 50, 0.32, tones, 0.6) +
    specks(brush, area, random, 120, 0.03, ['#a86a35', '#c39a4e', '#7b4a2b', shade(area.colour, 16)])
  );
}

export function drawGravel(brush: Brush, area: GroundArea): string {
  const random = brush.random.fork('gravel');
  const tones = [18, 8, -8, -18, -26].map((step) => shade(area.colour, step));
  return patches(brush, area, random, 12, 0.5, tones, 0.25) + specks(brush, area, random, 620, 0.022, tones);
}

/** Wind ripples: long, shallow waves whose shaded side is drawn. */
function ripples(
  brush: Brush,
  area: GroundArea,
  random: SeededRandom,
  count: number,
  colour: string,
  opacity: number,
): string {
  return Array.from({ length: count }, (_, i) => {
    const t = (i + random.next()) / count;
    const z = 1 / (t / area.near + (1 - t) / Math.min(area.far, 26));
    const [left, right] = span(brush, z);
    const from = random.between(left, (left + right) / 2);
    const length = random.between(0.25, 0.7) * (right - left);
    const line = Array.from({ length: 6 }, (_, k): Point =>
      on(brush, from + (length * k) / 5, 0, z + Math.sin(k * 1.3 + i) * 0.035 * z * 0.4),
    );
    return path(flow(line), {
      fill: 'none',
      stroke: toned(brush, colour, 0, z),
      'stroke-width': (brush.unit * Math.min(3, 7 / z)).toFixed(2),
      'stroke-linecap': 'round',
      'stroke-opacity': opacity.toFixed(2),
    });
  }).join('');
}

export function drawSand(brush: Brush, area: GroundArea): string {
  const random = brush.random.fork('sand');
  return [
    patches(brush, area, random, 16, 0.9, [shade(area.colour, 5), shade(area.colour, -6, 1.15)], 0.4),
    ripples(brush, area, random, 46, shade(area.colour, -14, 1.1), 0.42),
    ripples(brush, area, random, 26, shade(area.colour, 10), 0.5),
    specks(brush, area, random, 40, 0.014, [shade(area.colour, -22), '#f6efdf', brush.colours.accent]),
  ].join('');
}

export function drawSnow(brush: Brush, area: GroundArea): string {
  const random = brush.random.fork('snow');
  const shadow = blend(area.colour, '#93a8c4', 0.5);
  return (
    patches(brush, area, random, 22, 0.8, [shadow, '#ffffff', shade(area.colour, 4)], 0.34) +
    ripples(brush, area, random, 18, shadow, 0.3)
  );
}
