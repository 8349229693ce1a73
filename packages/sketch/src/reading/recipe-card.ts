import type { EnginePicture } from '@atelier/engine';
import { greyOf, planeOf } from '../cutout/mask.js';
import { parseHex } from '../drawing/colour.js';
import { clamp } from '../drawing/geometry.js';
import { rasterise, type Raster } from '../drawing/rasterise.js';
import { element, SvgSheet, path } from '../drawing/svg-sheet.js';
import { encode } from '../encode.js';
import { compose } from '../scene.js';
import type { Reading } from './regions.js';
import { recipeFacts, type Recipe } from './recipe.js';
import { PAPER, lightColour, line, INK } from './recipe-pen.js';
import { drawCameraHeight, drawLightPlan, LAMP } from './recipe-plan.js';
import { writeFigures } from './figures.js';

/**
 * A grey wedge with a bracket as wide as the contrast, and the scale of colour temperature with the measured
 * value.
 */
function drawScales(sheet: SvgSheet, { light }: Recipe): string {
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
  const warm = (Math.log(light.kelvin) - Math.log(2200)) / (Math.log(12000) - Math.log(2200));
  const at = x + width * clamp(warm, 0, 1);
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

/**
 * The colours of the clothes as large swatches, one group for each garment, and the background's colours as
 * small squares.
 */
function drawSwatches(recipe: Recipe): string {
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

/** The frame that shows the picture's layout: left, top, longest sides. */
const FRAME = { x: 56, y: 56, width: 400, height: 560 };

type Frame = typeof FRAME;

function frameFor({ width, height }: Raster): Frame {
  const scale = Math.min(FRAME.width / width, FRAME.height / height);
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  return { x: FRAME.x + Math.round((FRAME.width - w) / 2), y: FRAME.y, width: w, height: h };
}

/** The subject as a flat wash, at the same place in the frame as in the photograph. */
async function silhouette(reading: Reading, frame: Frame, colours: readonly string[]): Promise<Raster> {
  const soft = greyOf(reading.subject.mask, 205).blur(1);
  const alpha = await planeOf(soft.resize(frame.width, frame.height, { fit: 'fill', kernel: 'cubic' }));
  const [red, green, blue] = parseHex(colours[0] ?? '#7d766d');
  const data = new Uint8Array(frame.width * frame.height * 4);
  for (let i = 0; i < alpha.length; i++) {
    data[i * 4] = red;
    data[i * 4 + 1] = green;
    data[i * 4 + 2] = blue;
    data[i * 4 + 3] = alpha[i] ?? 0;
  }
  return { data, width: frame.width, height: frame.height };
}

/** The frame with the colours of the ground and the fall of the light. */
function drawFrame(sheet: SvgSheet, frame: Frame, recipe: Recipe): string {
  const { x, y, width, height } = frame;
  const [first = '#e6e0d6', last = first] = [recipe.ground[0], recipe.ground[recipe.ground.length - 1]];
  const ground = sheet.linear(0, y, 0, y + height, [
    [0, first],
    [0.62, first],
    [0.8, last],
    [1, last],
  ]);
  const [lx, ly] = LAMP[recipe.light.direction];
  const above = recipe.light.direction.startsWith('upper') || recipe.light.direction === 'above';
  const cx = x + width * (0.5 + 0.62 * lx);
  const cy = above ? y - height * 0.04 : y + height * (0.42 + 0.1 * ly);
  const glow = sheet.radial(cx, cy, Math.max(width, height) * 0.72, [
    [0, lightColour(recipe.light.kelvin), 0.25 + 0.7 * recipe.light.contrast],
    [0.55, lightColour(recipe.light.kelvin), 0.12],
    [1, lightColour(recipe.light.kelvin), 0],
  ]);
  const box = { x, y, width, height };
  return element('rect', { ...box, fill: ground }) + element('rect', { ...box, fill: glow });
}

const corners = ({ x, y, width, height }: Frame): string => {
  const arm = 26;
  const [r, b] = [x + width, y + height];
  return line(
    `M${x} ${y + arm}V${y}H${x + arm}M${r - arm} ${y}H${r}V${y + arm}M${r} ${b - arm}V${b}H${r - arm}M${x + arm} ${b}H${x}V${b - arm}`,
    3.4,
  );
};

const WIDTH = 820;
const HEIGHT = 1024;

/**
 * The recipe as a drawn card: layout with the light's fall, camera, lamp plan, contrast, temperature, colours.
 */
export async function recipePicture(
  reading: Reading,
  recipe: Recipe,
  testMark: boolean,
): Promise<EnginePicture> {
  const frame = frameFor(reading.photograph.full);
  const below = new SvgSheet();
  const paper = element('rect', { width: WIDTH, height: HEIGHT, fill: PAPER });
  const ground = await rasterise(below.document(WIDTH, HEIGHT, paper, drawFrame(below, frame, recipe)));
  const figure = await silhouette(reading, frame, recipe.styling[0]?.colours ?? []);
  const above = new SvgSheet();
  const notes = [
    corners(frame),
    drawCameraHeight(recipe),
    drawLightPlan(above, recipe),
    drawScales(above, recipe),
    drawSwatches(recipe),
  ];
  const drawn = await rasterise(above.document(WIDTH, HEIGHT, ...notes));
  const sheet = await compose([ground, { ...figure, left: frame.x, top: frame.y }, drawn], testMark);
  return encode(sheet, {
    kind: 'photography_recipe',
    label: 'Photography recipe',
    meta: recipeFacts(recipe),
  });
}
