import { element, group, path, type SvgSheet } from '../drawing/svg-sheet.js';
import type { CameraHeight } from './framing.js';
import type { LightDirection } from './light-reading.js';
import type { Recipe } from './recipe.js';
import { INK, lightColour, line, PAPER } from './recipe-pen.js';

/** The lamp's place around the subject, seen from above: x to the right in the picture, y toward the camera. */
export const LAMP: Readonly<Record<LightDirection, readonly [x: number, y: number]>> = {
  left: [-1, 0.15],
  right: [1, 0.15],
  upper_left: [-0.75, 0.55],
  upper_right: [0.75, 0.55],
  above: [0, 0],
  front: [0, 1],
  back: [0, -1],
};

const CAMERA: Readonly<Record<CameraHeight, number>> = {
  low: 0.93,
  waist: 0.46,
  chest: 0.3,
  eye: 0.09,
  high: -0.12,
};

const camera = (x: number, y: number): string =>
  group(
    { transform: `translate(${x} ${y})` },
    element('rect', {
      x: -22,
      y: -13,
      width: 36,
      height: 26,
      rx: 4,
      fill: '#d8cfc1',
      stroke: INK,
      'stroke-width': 2,
    }),
    element('circle', { cx: 16, cy: 0, r: 9, fill: PAPER, stroke: INK, 'stroke-width': 2 }),
    line('M-14 -13L-9 -19H0L4 -13', 2),
  );

const mannequin = (x: number, top: number, tall: number): string => {
  const at = (share: number): number => top + tall * share;
  return (
    element('ellipse', {
      cx: x,
      cy: at(0.07),
      rx: tall * 0.052,
      ry: tall * 0.07,
      fill: '#d9c2ae',
      stroke: INK,
      'stroke-width': 2,
    }) +
    path(
      `M${x - tall * 0.07} ${at(0.2)}Q${x} ${at(0.15)} ${x + tall * 0.07} ${at(0.2)}L${x + tall * 0.055} ${at(0.48)}L${x + tall * 0.045} ${at(0.98)}H${x - tall * 0.045}L${x - tall * 0.055} ${at(0.48)}Z`,
      { fill: '#e6ddd0', stroke: INK, 'stroke-width': 2, 'stroke-linejoin': 'round' },
    )
  );
};

/** A view from the side: the camera's height, and the part of the figure that it sees. */
export function drawCameraHeight({ framing }: Recipe): string {
  const [left, top, tall] = [508, 70, 236];
  const x = left + 190;
  if (framing.angle === 'overhead') {
    const cloth = path(`M${x - 92} ${top + tall - 18}q40 -26 92 -12t92 8v22h-184Z`, {
      fill: '#e6ddd0',
      stroke: INK,
      'stroke-width': 2,
    });
    const down = line(`M${x} ${top + 58}V${top + tall - 46}`, 2, { 'stroke-dasharray': '2 9' });
    return cloth + down + group({ transform: `rotate(90 ${x} ${top + 30})` }, camera(x, top + 30));
  }
  const shown = { full: 1, three_quarter: 0.72, half: 0.46, detail: 0.24 }[framing.crop];
  const y = top + tall * CAMERA[framing.cameraHeight];
  const [near, far] = [left + 44, x - 26];
  return [
    mannequin(x, top, tall),
    line(`M${near} ${y}L${far} ${top - 4}M${near} ${y}L${far} ${top + tall * shown}`, 1.8, {
      'stroke-dasharray': '2 8',
    }),
    line(
      `M${x + 44} ${top}V${top + tall * shown}M${x + 36} ${top}H${x + 52}M${x + 36} ${top + tall * shown}H${x + 52}`,
      2,
    ),
    line(`M${left - 6} ${top + tall}H${left + 264}`, 2),
    camera(left + 20, y),
  ].join('');
}

/** A view from above: the light's place around the subject. */
export function drawLightPlan(sheet: SvgSheet, { light }: Recipe): string {
  const [cx, cy, reach] = [640, 470, 104];
  const [lx, ly] = LAMP[light.direction];
  const [x, y] = [cx + lx * reach, cy + ly * reach];
  const colour = lightColour(light.kelvin);
  const beam = sheet.radial(x, y, reach * 1.5, [
    [0, colour, 0.95],
    [1, colour, 0],
  ]);
  const [nx, ny] = lx === 0 && ly === 0 ? [1, 0] : [-ly, lx];
  const size = Math.max(0.01, Math.hypot(nx, ny));
  const spread = 58;
  const [px, py] = [(nx / size) * spread, (ny / size) * spread];
  return [
    element('circle', {
      cx,
      cy,
      r: reach + 22,
      fill: 'none',
      stroke: INK,
      'stroke-width': 1.4,
      'stroke-dasharray': '1 8',
      'stroke-linecap': 'round',
    }),
    path(`M${x} ${y}L${cx + px} ${cy + py}L${cx - px} ${cy - py}Z`, { fill: beam }),
    element('ellipse', { cx, cy, rx: 34, ry: 20, fill: '#d9c2ae', stroke: INK, 'stroke-width': 2 }),
    element('circle', { cx, cy: cy - 2, r: 13, fill: '#e9dccd', stroke: INK, 'stroke-width': 2 }),
    element('circle', { cx: x, cy: y, r: 15, fill: colour, stroke: INK, 'stroke-width': 2.2 }),
    group({ transform: `rotate(-90 ${cx} ${cy + reach + 44})` }, camera(cx, cy + reach + 44)),
  ].join('');
}
