import { element, path, type SvgSheet } from '../drawing/svg-sheet.js';
import { writeFigures } from './figures.js';
import type { Recipe } from './recipe.js';
import { INK, line } from './recipe-pen.js';

/** A grey wedge with a bracket as wide as the contrast, and the scale of colour temperature with its value. */
export function drawScales(sheet: SvgSheet, { light }: Recipe): string {
  const [x, y, width] = [56, 690, 400];
  const steps = Array.from({ length: 9 }, (_, k) => {
    const grey = Math.round(28 + (k / 8) * 218)
      .toString(16)
      .padStart(2, '0');
    return element('rect', {
      x: x + (k * width) / 9,
      y,
      width: width / 9 + 0.5,
      height: 34,
      fill: `#${grey}${grey}${grey}`,
    });
  }).join('');
  const half = (width * Math.max(0.06, light.contrast)) / 2;
  const middle = x + width / 2;
  const bracket = line(`M${middle - half} ${y - 4}V${y - 16}H${middle + half}V${y - 4}`, 3);
  const warmth = sheet.linear(x, 0, x + width, 0, [
    [0, '#e8923a'],
    [0.3, '#f2cf8d'],
    [0.5, '#f7f3e6'],
    [1, '#8fb4e3'],
  ]);
  const at =
    x +
    width *
      Math.min(
        1,
        Math.max(0, (Math.log(light.kelvin) - Math.log(2200)) / (Math.log(12000) - Math.log(2200))),
      );
  const below = y + 84;
  return [
    steps,
    bracket,
    element('rect', {
      x,
      y: below,
      width,
      height: 26,
      rx: 13,
      fill: warmth,
      stroke: INK,
      'stroke-width': 1.6,
    }),
    path(`M${at} ${below - 4}l-9 -13h18Z`, { fill: INK }),
    writeFigures(`${light.kelvin}K`, x + width + 44, below + 1, 26, INK),
  ].join('');
}

/** What is worn as large swatches, one group a garment; the ground's colours as small squares. */
export function drawSwatches(recipe: Recipe): string {
  const y = 908;
  let x = 92;
  const worn = recipe.styling
    .slice(0, 4)
    .map(({ colours }) => {
      const discs = colours.map((colour, k) => {
        const disc = element('circle', {
          cx: x,
          cy: y,
          r: k === 0 ? 36 : 22,
          fill: colour,
          stroke: INK,
          'stroke-width': 2,
        });
        x += k === colours.length - 1 ? 76 : 52;
        return disc;
      });
      return discs.reverse().join('');
    })
    .join('');
  const ground = recipe.ground
    .slice(0, 3)
    .map((colour, k) =>
      element('rect', {
        x: 742 - k * 56,
        y: y - 22,
        width: 44,
        height: 44,
        fill: colour,
        stroke: INK,
        'stroke-width': 2,
      }),
    )
    .join('');
  return worn + ground + line(`M56 ${y - 62}H764`, 1.4, { 'stroke-dasharray': '1 8' });
}
