import type { Point } from '../drawing/geometry.js';
import { rasterise, type Raster } from '../drawing/rasterise.js';
import { SeededRandom } from '../drawing/seeded-random.js';
import { group, SvgSheet } from '../drawing/svg-sheet.js';
import { watercolour } from '../raster/paper.js';
import { drawBag } from './bags.js';
import { Cloth } from './cloth.js';
import { CUTS } from './cuts.js';
import { drawDrape } from './drapes.js';
import { boxed, type Drawing } from './drawing.js';
import { fabricOf } from './fabric.js';
import type { Frame } from './frame.js';
import type { GarmentSpec } from './garment-spec.js';
import { drawHat } from './hats.js';
import { drawLegs } from './legs.js';
import { drawShoes } from './shoes.js';
import { drawSkirt } from './skirts.js';
import { drawSmallThing } from './small-things.js';
import { shapeWords, tailored } from './tailor.js';
import { drawTrims, SLEEVE_TRIMS, trimsIn } from './trims/trims.js';
import { drawUpper } from './upper.js';

const clothOf = (sheet: SvgSheet, spec: GarmentSpec, seed: number, worn: boolean): Cloth =>
  new Cloth(sheet, fabricOf(spec), new SeededRandom(seed).fork('cloth'), !worn);

/**
 * An upper garment in two parts, which are separated when it is worn. Centimetres; the neck point is the
 * origin.
 */
interface UpperPieces {
  readonly frame: Frame;
  readonly arms: string;
  readonly body: string;
  readonly box: Omit<Drawing, 'svg'>;
}

/** Undefined for garments that do not hang from the shoulders. */
export function upperPieces(
  sheet: SvgSheet,
  spec: GarmentSpec,
  seed: number,
  worn: boolean,
): UpperPieces | undefined {
  const base = CUTS[spec.category.silhouette];
  if (!base) return undefined;
  const cloth = clothOf(sheet, spec, seed, worn);
  const cut = tailored(base, spec);
  const { arms, body, frame } = drawUpper(cloth, cut, worn);
  const names = [...cut.trims, ...trimsIn(shapeWords(spec))];
  const { sleeve, pieces = [], ...rest } = frame;
  const bodyFrame: Frame = { ...rest, pieces: pieces.slice(0, 1) };
  const armFrame: Frame = { ...frame, pieces: pieces.slice(1) };
  const reach = Math.max(...cut.side.map(([x]) => x), (sleeve?.outer[0] ?? 0) + 2);
  const low = Math.max(frame.hem + 9, (sleeve?.inner[1] ?? 0) + 2);
  return {
    frame,
    arms: sleeve
      ? arms +
        drawTrims(
          cloth,
          armFrame,
          names.filter((name) => SLEEVE_TRIMS.has(name)),
        )
      : '',
    body: body + drawTrims(cloth, bodyFrame, names),
    box: { left: -reach - 2, top: -15, right: reach + 2, bottom: low },
  };
}

/** Silhouettes that hang from the waist in one piece. */
export const SKIRTS: readonly string[] = [
  'skirt',
  'mini_skirt',
  'pleated_skirt',
  'pencil_skirt',
  'maxi_skirt',
  'lehenga',
];

/** Trims that make sense on two legs. */
const LEG_TRIMS: readonly string[] = [
  'patch_pockets',
  'embroidery',
  'sequins',
  'contrast_belt',
  'drawn_waist',
];

function lower(cloth: Cloth, spec: GarmentSpec): Drawing | undefined {
  const { silhouette, slot } = spec.category;
  const words = trimsIn(shapeWords(spec));
  if (SKIRTS.includes(silhouette)) {
    const { svg, frame, trims } = drawSkirt(cloth, silhouette, spec);
    const reach = frame.half(frame.hem) + 4;
    return boxed(svg + drawTrims(cloth, frame, [...trims, ...words]), [-reach, -2], [reach, frame.hem + 9]);
  }
  if ((slot !== 'bottom' && silhouette !== 'tights') || silhouette === 'dhoti') return undefined;
  const { svg, frame } = drawLegs(cloth, silhouette, spec);
  const reach = Math.max(38, 18 + frame.half(frame.hem));
  const sewn = words.filter((name) => LEG_TRIMS.includes(name));
  return boxed(svg + drawTrims(cloth, frame, sewn), [-reach, -2], [reach, frame.hem + 4]);
}

/**
 * Draws a garment by its category's silhouette. `worn` leaves out the parts that are only visible when it lies
 * flat.
 */
export function drawGarment(sheet: SvgSheet, spec: GarmentSpec, seed: number, worn = false): Drawing {
  const upper = upperPieces(sheet, spec, seed, worn);
  if (upper) return { ...upper.box, svg: upper.arms + upper.body };
  const cloth = clothOf(sheet, spec, seed, worn);
  const drawing =
    lower(cloth, spec) ??
    drawDrape(cloth, spec) ??
    drawShoes(cloth, spec) ??
    drawBag(cloth, spec) ??
    drawHat(cloth, spec) ??
    drawSmallThing(cloth, spec);
  if (!drawing) throw new RangeError(`no drawing for ${spec.category.silhouette}`);
  return drawing;
}

/** The garment alone on a transparent canvas. `share` is the share of the canvas that it may fill. */
export async function paintGarment(
  spec: GarmentSpec,
  seed: number,
  width: number,
  height: number,
  share = 0.84,
  worn = false,
): Promise<Raster> {
  const sheet = new SvgSheet();
  const { svg, left, top, right, bottom } = drawGarment(sheet, spec, seed, worn);
  const scale = Math.min((width * share) / (right - left), (height * share) / (bottom - top));
  const at: Point = [width / 2 - ((left + right) / 2) * scale, height / 2 - ((top + bottom) / 2) * scale];
  const transform = `translate(${at[0].toFixed(2)} ${at[1].toFixed(2)}) scale(${scale.toFixed(4)})`;
  const layer = await rasterise(sheet.document(width, height, group({ transform }, svg)));
  watercolour(layer, 6, 2.6, Math.max(width, height) / 1024, seed % 97);
  return layer;
}
