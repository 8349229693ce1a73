import type { Point } from '../drawing/geometry.js';
import { group, SvgSheet } from '../drawing/svg-sheet.js';
import { rasterise, type Raster } from '../drawing/rasterise.js';
import { SeededRandom } from '../drawing/seeded-random.js';
import { watercolour } from '../raster/paper.js';
import { drawBag } from './bags.js';
import { Cloth } from './cloth.js';
import { CUTS } from './cuts.js';
import { drawDrape } from './drapes.js';
import { fabricOf } from './fabric.js';
import type { GarmentSpec } from './garment-spec.js';
import { drawHat } from './hats.js';
import { drawLegs, drawSkirt } from './lower.js';
import { drawShoes } from './shoes.js';
import { drawSmallThing } from './small-things.js';
import { shapeWords, tailored } from './tailor.js';
import { drawTrims, trimsIn } from './trims.js';
import { drawUpper } from './upper.js';

/** A drawing in its own units and the rectangle that holds it. */
export interface Drawing {
  readonly svg: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export const boxed = (svg: string, corner: Point, opposite: Point): Drawing => ({
  svg,
  left: corner[0],
  top: corner[1],
  right: opposite[0],
  bottom: opposite[1],
});

function upper(cloth: Cloth, spec: GarmentSpec, worn: boolean): Drawing | undefined {
  const base = CUTS[spec.category.silhouette];
  if (!base) return undefined;
  const cut = tailored(base, spec);
  const { svg, frame } = drawUpper(cloth, cut, { worn });
  const trims = drawTrims(cloth, frame, [...cut.trims, ...trimsIn(shapeWords(spec))]);
  const reach = Math.max(...cut.side.map(([x]) => x), (frame.sleeve?.outer[0] ?? 0) + 2);
  const low = Math.max(frame.hem + 9, (frame.sleeve?.inner[1] ?? 0) + 2);
  return boxed(svg + trims, [-reach - 2, -15], [reach + 2, low]);
}

function lower(cloth: Cloth, spec: GarmentSpec): Drawing | undefined {
  const { silhouette, slot } = spec.category;
  const skirts = ['skirt', 'mini_skirt', 'pleated_skirt', 'pencil_skirt', 'maxi_skirt', 'lehenga'];
  const words = trimsIn(shapeWords(spec));
  if (skirts.includes(silhouette)) {
    const { svg, frame, trims } = drawSkirt(cloth, silhouette, spec);
    const reach = frame.half(frame.hem) + 4;
    return boxed(svg + drawTrims(cloth, frame, [...trims, ...words]), [-reach, -2], [reach, frame.hem + 9]);
  }
  if ((slot !== 'bottom' && silhouette !== 'tights') || silhouette === 'dhoti') return undefined;
  const { svg, frame } = drawLegs(cloth, silhouette, spec);
  const sewn = words.filter((name) =>
    ['patch_pockets', 'embroidery', 'sequins', 'contrast_belt', 'drawn_waist'].includes(name),
  );
  const reach = Math.max(38, 18 + frame.half(frame.hem));
  return boxed(svg + drawTrims(cloth, frame, sewn), [-reach, -2], [reach, frame.hem + 4]);
}

/** Draws a garment by its category's silhouette. `worn` leaves away what only shows when it lies flat. */
export function drawGarment(sheet: SvgSheet, spec: GarmentSpec, seed: number, worn = false): Drawing {
  const cloth = new Cloth(sheet, fabricOf(spec), new SeededRandom(seed).fork('cloth'));
  const drawing =
    upper(cloth, spec, worn) ??
    lower(cloth, spec) ??
    drawDrape(cloth, spec) ??
    drawShoes(cloth, spec) ??
    drawBag(cloth, spec) ??
    drawHat(cloth, spec) ??
    drawSmallThing(cloth, spec);
  if (!drawing) throw new RangeError(`no drawing for ${spec.category.silhouette}`);
  return drawing;
}

/** The garment alone on a transparent canvas; `share` is how much of the canvas it may fill. */
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
  const x = width / 2 - ((left + right) / 2) * scale;
  const y = height / 2 - ((top + bottom) / 2) * scale;
  const transform = `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale.toFixed(4)})`;
  const layer = await rasterise(sheet.document(width, height, group({ transform }, svg)));
  watercolour(layer, 6, 2.6, Math.max(width, height) / 1024, seed % 97);
  return layer;
}
