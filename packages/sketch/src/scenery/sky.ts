import { blend, shade } from '../drawing/colour.js';
import { flow } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { element, path } from '../drawing/svg-sheet.js';
import { spot, type Brush } from './brush.js';

/**
 * The sky over the vanishing line, with loose clouds. In the sun there are few; when it is overcast they cover
 * the sky.
 */
export function drawSky(brush: Brush): string {
  const { camera, sheet, colours, light } = brush;
  const { width, horizon } = camera;
  const random = brush.random.fork('sky');
  const bottom = Math.max(horizon, camera.height * 0.2);
  const paint = sheet.linear(0, 0, 0, Math.round(bottom), [
    [0, colours.sky],
    [0.62, blend(colours.sky, colours.skyLow, 0.62)],
    [1, colours.skyLow],
  ]);
  const overcast = light.warmth < -0.2;
  const many = overcast ? 16 : light.contrast > 0.9 ? 5 : 8;
  const clouds = Array.from({ length: many }, () => {
    const [cx, cy] = [random.between(-0.1, 1.1) * width, random.between(0.02, 0.72) * bottom];
    const size = random.between(0.1, 0.26) * Math.max(width, camera.height * 0.8);
    const bright = blend(colours.skyLow, '#fffdf8', light.level < 0.8 ? 0.1 : 0.75);
    const puffs = Array.from({ length: 5 }, (_, i) => {
      const at: Point = [cx + (i - 2) * size * 0.36, cy - random.next() * size * 0.1];
      const [rx, ry] = [size * random.between(0.34, 0.56), size * random.between(0.12, 0.22)];
      return spot(sheet, at, rx, ry, bright, overcast ? 0.5 : 0.68, 0.45);
    });
    const shadow = blend(shade(colours.sky, -9), light.shade, 0.2);
    const belly = spot(
      sheet,
      [cx, cy + size * 0.09],
      size * 0.7,
      size * 0.08,
      shadow,
      overcast ? 0.3 : 0.16,
      0.2,
    );
    return puffs.join('') + belly;
  });
  return [element('rect', { width, height: Math.ceil(bottom) + 2, fill: paint }), ...clouds].join('');
}

/**
 * A ridge of hills from edge to edge. `height` is its height over the vanishing line, as a share of the
 * picture's height.
 */
export function drawRidge(
  brush: Brush,
  height: number,
  colour: string,
  roughness: number,
  label: string,
): string {
  const { camera } = brush;
  const random = brush.random.fork(`ridge${label}`);
  const steps = 14;
  const line = Array.from({ length: steps + 1 }, (_, i): Point => {
    const swell = 0.55 + 0.45 * Math.sin(i * 0.9 + random.next() * 1.4);
    const rise = height * (swell + random.wobble(roughness));
    return [(i / steps) * camera.width * 1.1 - camera.width * 0.05, camera.horizon - rise * camera.height];
  });
  const base = camera.horizon + camera.height * 0.03;
  const [first, last] = [line[0] ?? [0, 0], line[line.length - 1] ?? [0, 0]];
  const paint = brush.sheet.linear(
    0,
    Math.round(camera.horizon - height * camera.height),
    0,
    Math.round(base),
    [
      [0, colour],
      [1, blend(colour, brush.colours.haze, 0.55)],
    ],
  );
  return path(`${flow(line)}L${last[0]} ${base}L${first[0]} ${base}Z`, {
    fill: paint,
    stroke: shade(colour, -8),
    'stroke-opacity': 0.35,
    'stroke-width': (1.2 * brush.unit).toFixed(2),
  });
}
