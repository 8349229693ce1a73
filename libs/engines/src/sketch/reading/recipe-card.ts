import sharp from 'sharp';
import type { EnginePicture } from '../../image-engine.js';
import { rasterise, type Raster } from '../drawing/rasterise.js';
import { element, group, path, SvgSheet } from '../drawing/svg-sheet.js';
import { encode } from '../encode.js';
import { compose } from '../scene.js';
import { writeFigures } from './figures.js';
import type { CameraHeight } from './framing.js';
import type { LightDirection } from './light-reading.js';
import type { Reading } from './reading.js';
import { recipeFacts, type Recipe } from './recipe.js';

const WIDTH = 820;
const HEIGHT = 1024;
const INK = '#4a433d';
const PAPER = '#f5f1e8';
/** The frame that shows the picture's layout: left, top, longest sides. */
const FRAME = { x: 56, y: 56, width: 400, height: 560 };

/** Where a lamp stands around the subject, seen from above and in the picture: x to the right, y toward the camera. */
const LAMP: Readonly<Record<LightDirection, readonly [x: number, y: number]>> = {
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

/** The light's colour as it is usually drawn: amber below daylight, blue above. */
function lightColour(kelvin: number): string {
  if (kelvin < 4600) return '#f0a64a';
  if (kelvin < 5800) return '#f3cf86';
  return kelvin < 7200 ? '#f2e9cf' : '#a9c8ea';
}

const line = (d: string, width = 2.2, more: Record<string, string | number> = {}): string =>
  path(d, {
    fill: 'none',
    stroke: INK,
    'stroke-width': width,
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    ...more,
  });

interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function frameFor({ width, height }: { width: number; height: number }): Frame {
  const scale = Math.min(FRAME.width / width, FRAME.height / height);
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  return { x: FRAME.x + Math.round((FRAME.width - w) / 2), y: FRAME.y, width: w, height: h };
}

/** The subject as a flat wash in the frame, as it stands in the photograph. */
async function silhouette(reading: Reading, frame: Frame, colours: readonly string[]): Promise<Raster> {
  const { mask } = reading.subject;
  const grey = Buffer.from(mask.data.map((v) => v * 205));
  const alpha = await sharp(grey, { raw: { width: mask.width, height: mask.height, channels: 1 } })
    .blur(1)
    .resize(frame.width, frame.height, { fit: 'fill', kernel: 'cubic' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  const tint = Number.parseInt((colours[0] ?? '#7d766d').slice(1), 16);
  const data = new Uint8Array(frame.width * frame.height * 4);
  for (let i = 0; i < alpha.length; i++) {
    data[i * 4] = (tint >> 16) & 255;
    data[i * 4 + 1] = (tint >> 8) & 255;
    data[i * 4 + 2] = tint & 255;
    data[i * 4 + 3] = alpha[i] ?? 0;
  }
  return { data, width: frame.width, height: frame.height };
}

/** The frame with the ground's colours and the fall of the light. */
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
    element('circle', { cx: 16, cy: 0, r: 9, fill: '#f5f1e8', stroke: INK, 'stroke-width': 2 }),
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

/** From the side: how high the camera is, and how much of the figure it takes in. */
function drawCameraHeight({ framing }: Recipe): string {
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

/** From above: where the light stands around the subject. */
function drawLightPlan(sheet: SvgSheet, { light }: Recipe): string {
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

/** A grey wedge with a bracket as wide as the contrast, and the scale of colour temperature with its value. */
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

/** The recipe as a drawn card: layout with the light's fall, camera, lamp plan, contrast, temperature, colours. */
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
