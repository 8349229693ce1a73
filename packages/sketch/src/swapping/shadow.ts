import type { Canvas } from '../composition/subject.js';
import type { Light } from '../composition/light.js';
import { blend, parseHex, shade } from '../drawing/colour.js';
import { imageOf, rasterise, rasterOf, type Raster } from '../drawing/rasterise.js';
import { element, group, SvgSheet } from '../drawing/svg-sheet.js';
import type { Placement } from './placement.js';

/** The runs of the subject in its lowest rows, which are its feet or its base. Pixels of the sheet. */
function footprints(
  { data, width, height }: Raster,
  lowest: number,
): { x: number; half: number; y: number }[] {
  const rows = Math.max(2, Math.round(height * lowest));
  const columns = new Int32Array(width).fill(-1);
  for (let y = height - rows; y < height; y++)
    for (let x = 0; x < width; x++) if ((data[(y * width + x) * 4 + 3] ?? 0) > 140) columns[x] = y;
  const prints: { x: number; half: number; y: number }[] = [];
  for (let x = 0; x < width; x++) {
    if ((columns[x] ?? -1) < 0) continue;
    let [end, low] = [x, 0];
    while (end < width && (columns[end] ?? -1) >= 0) low = Math.max(low, columns[end++] ?? 0);
    if (end - x > width * 0.02) prints.push({ x: (x + end) / 2, half: (end - x) / 2, y: low });
    x = end;
  }
  return prints;
}

/** On the floor: a dark core under each foot, and one long, soft shadow away from the light. */
async function onFloor(
  subject: Raster,
  { left, top }: Placement,
  wall: string,
  light: Light,
  canvas: Canvas,
): Promise<Raster> {
  const { width, height } = canvas;
  const sheet = new SvgSheet();
  const colour = blend(shade(wall, -50), '#32273a', 0.4);
  const unit = height / 1024;
  const prints = footprints(subject, 0.05).map((p) => ({ ...p, x: p.x + left, y: p.y + top }));
  const blob = (x: number, y: number, rx: number, ry: number, opacity: number): string =>
    element('ellipse', {
      cx: x.toFixed(1),
      cy: y.toFixed(1),
      rx: rx.toFixed(1),
      ry: ry.toFixed(1),
      fill: colour,
      'fill-opacity': opacity.toFixed(2),
    });
  const [first, last] = [prints[0], prints[prints.length - 1]];
  if (!first || !last) return rasterise(sheet.document(width, height));
  const middle = (first.x - first.half + last.x + last.half) / 2;
  const breadth = Math.max(30 * unit, (last.x + last.half - first.x + first.half) / 2);
  const low = Math.max(...prints.map((p) => p.y));
  const away = -light.from[0] * breadth * (0.5 + light.contrast);
  const wide = group(
    { filter: sheet.blur(Math.round(11 * unit)) },
    blob(middle + away * 1.2, low - 5 * unit, breadth * 1.6, breadth * 0.17 + 5 * unit, 0.26),
    blob(middle + away * 0.4, low - 3 * unit, breadth * 1.12, breadth * 0.12 + 4 * unit, 0.34),
  );
  const core = group(
    { filter: sheet.blur(Math.round(3 * unit * 10) / 10) },
    ...prints.map((p) => blob(p.x, p.y - unit, p.half * 1.04, Math.max(3 * unit, p.half * 0.13), 0.55)),
  );
  return rasterise(sheet.document(width, height, wide, core));
}

/** Far below on the ground: one faint, broad shadow. */
function onGroundBelow(subject: Raster, { left }: Placement, wall: string, canvas: Canvas): Promise<Raster> {
  const { width, height } = canvas;
  const sheet = new SvgSheet();
  const shadow = element('ellipse', {
    cx: Math.round(left + subject.width / 2),
    cy: Math.round(height * 0.93),
    rx: Math.round(subject.width * 0.42),
    ry: Math.round(height * 0.022),
    fill: blend(shade(wall, -50), '#32273a', 0.4),
    'fill-opacity': 0.3,
    filter: sheet.blur(Math.round((16 * height) / 1024)),
  });
  return rasterise(sheet.document(width, height, shadow));
}

/** On the wall: the subject's own shape, blurred and moved away from the light. */
function onWall(
  subject: Raster,
  { left, top }: Placement,
  wall: string,
  light: Light,
  canvas: Canvas,
): Promise<Raster> {
  const { width, height } = canvas;
  const unit = height / 1024;
  const [r, g, b] = parseHex(blend(shade(wall, -34), '#32273a', 0.3));
  const data = Buffer.alloc(width * height * 4);
  const [dx, dy] = [Math.round(left - light.from[0] * 16 * unit), Math.round(top + 15 * unit)];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = (y * width + x) * 4;
      const [sx, sy] = [x - dx, y - dy];
      data[i] = r;
      data[i + 1] = g;
      data[i + 2] = b;
      if (sx >= 0 && sy >= 0 && sx < subject.width && sy < subject.height)
        data[i + 3] = (subject.data[(sy * subject.width + sx) * 4 + 3] ?? 0) * 0.42;
    }
  }
  return rasterOf(imageOf({ data, width, height }).blur(9 * unit));
}

/**
 * The subject's shadow in its new place, as a layer of the sheet's size; none if the subject runs out of the
 * picture.
 * @param subject at its size on the sheet
 * @param wall the place's own colour; the shadow is darker
 */
export function shadowUnder(
  subject: Raster,
  placement: Placement,
  wall: string,
  light: Light,
  canvas: Canvas,
): Promise<Raster> | undefined {
  switch (placement.rests) {
    case 'floor':
      return onFloor(subject, placement, wall, light, canvas);
    case 'wall':
      return onWall(subject, placement, wall, light, canvas);
    case 'air':
      return onGroundBelow(subject, placement, wall, canvas);
    case 'edge':
      return undefined;
    default: {
      const unknown: never = placement.rests;
      throw new RangeError(`nothing rests on ${String(unknown)}`);
    }
  }
}
