import { blend, shade } from '../drawing/colour.js';
import { polygon } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { group, path } from '../drawing/svg-sheet.js';
import { blot, on, pen, toned, wash, weightAt, type Brush } from './brush.js';
import { perMetre } from './camera.js';

export interface Opening {
  readonly x: number;
  /** Height of the sill, metres. */
  readonly y: number;
  readonly z: number;
  readonly width: number;
  readonly height: number;
  readonly arched: boolean;
  /** Thickness of the wall, metres. */
  readonly depth?: number;
}

/** The contour of an opening in a wall that faces the camera, from the lower left corner up and over. */
export function contour(brush: Brush, opening: Opening): Point[] {
  const { x, y, z, width, height, arched } = opening;
  const half = width / 2;
  const top = y + height;
  if (!arched) {
    return [
      on(brush, x - half, y, z),
      on(brush, x - half, top, z),
      on(brush, x + half, top, z),
      on(brush, x + half, y, z),
    ];
  }
  const spring = top - half;
  const bow = Array.from({ length: 17 }, (_, i) => {
    const angle = Math.PI * (1 - i / 16);
    return on(brush, x + half * Math.cos(angle), spring + half * Math.sin(angle), z);
  });
  return [on(brush, x - half, y, z), ...bow, on(brush, x + half, y, z)];
}

/** Cuts an opening into a wall: draws the view behind it, then the thickness of the wall, then the edge. */
export function openWall(brush: Brush, opening: Opening, wallColour: string, behind: string): string {
  const { z, depth = 0.16 } = opening;
  const rim = contour(brush, opening);
  const clip = brush.sheet.clip(polygon(rim));
  const shift = depth * perMetre(brush.camera, z);
  const side = brush.light.side;
  // The visible jamb lies opposite the vanishing point. A lit jamb lies opposite the light.
  const towards = opening.x > 0 ? -1 : 1;
  const back = contour(brush, opening).map(([px, py]): Point => [
    px - towards * shift * 0.55,
    py + shift * 0.28,
  ]);
  const jamb = toned(brush, wallColour, towards === side ? -0.9 : 0.35, z);
  const ring = `${polygon(rim)}${polygon([...back].reverse())}`;
  const inside = group(
    { 'clip-path': clip },
    behind,
    path(ring, { fill: jamb, 'fill-rule': 'evenodd' }),
    pen(brush, back, weightAt(z, 1), { opacity: 0.5, corners: true }),
  );
  return inside + pen(brush, rim, weightAt(z, 1.9), { closed: opening.y > 0.05, corners: true });
}

/** The view through an opening from indoors: sky, a distant line of green, and haze. */
export function daylightView(brush: Brush, opening: Opening): string {
  const { sheet, colours, camera, light } = brush;
  const [, top] = on(brush, opening.x, opening.y + opening.height, opening.z);
  const [, low] = on(brush, opening.x, opening.y, opening.z);
  const sky = sheet.linear(0, Math.round(top), 0, Math.round(low), [
    [0, blend(colours.sky, '#ffffff', light.level < 0.8 ? 0 : 0.3)],
    [0.75, light.level < 0.8 ? colours.skyLow : blend(colours.skyLow, '#fffdf4', 0.5)],
  ]);
  const [left] = on(brush, opening.x - opening.width, 0, opening.z);
  const [right] = on(brush, opening.x + opening.width, 0, opening.z);
  const random = brush.random.fork(`view${opening.x.toFixed(2)}`);
  const ground = Math.min(low, camera.horizon + (low - camera.horizon) * 0.25);
  const greens = Array.from({ length: 7 }, (_, i) => {
    const px = left + ((right - left) * (i + random.next())) / 7;
    const size = (right - left) * random.between(0.1, 0.2);
    return path(blot(random, [px, ground], size, size * random.between(0.5, 1.1), 0.25), {
      fill: blend(shade(colours.leaf, random.between(6, 20)), colours.haze, 0.45),
      'fill-opacity': 0.75,
    });
  });
  const lawn = `M${left} ${ground}H${right}V${low + 4}H${left}Z`;
  return [
    path(`M${left} ${top - 4}H${right}V${low + 4}H${left}Z`, { fill: sky }),
    ...greens,
    path(lawn, { fill: blend(colours.leaf, colours.haze, 0.5) }),
  ].join('');
}

/** The view through an opening from outdoors: a cool dark room. */
export function darkView(brush: Brush, opening: Opening): string {
  const { sheet, colours } = brush;
  const [left, low] = on(brush, opening.x - opening.width, opening.y, opening.z);
  const [right, top] = on(brush, opening.x + opening.width, opening.y + opening.height, opening.z);
  const deep = blend(shade(colours.second, -38), brush.light.shade, 0.55);
  const paint = sheet.linear(0, Math.round(top), 0, Math.round(low), [
    [0, toned(brush, shade(deep, -8), 0, opening.z)],
    [1, toned(brush, shade(deep, 8), 0, opening.z)],
  ]);
  return wash(brush, `M${left} ${top - 4}H${right}V${low + 4}H${left}Z`, paint, { rim: 0 });
}
