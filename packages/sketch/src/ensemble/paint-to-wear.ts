import { points } from '../drawing/points.js';
import type { Point } from '../drawing/geometry.js';
import { rasterise, type Raster } from '../drawing/rasterise.js';
import { SeededRandom } from '../drawing/seeded-random.js';
import { group, SvgSheet } from '../drawing/svg-sheet.js';
import { Cloth } from '../garments/cloth.js';
import { CUTS } from '../garments/cuts.js';
import { drawGarment, SKIRTS, upperPieces } from '../garments/draw-garment.js';
import type { Drawing } from '../garments/drawing.js';
import { fabricOf } from '../garments/fabric.js';
import { halfOf, type Frame, type SleeveFrame } from '../garments/frame.js';
import type { GarmentSpec } from '../garments/garment-spec.js';
import { drawSkirt } from '../garments/skirts.js';
import { watercolour } from '../raster/paper.js';

/**
 * A garment that this engine drew. Its cut is known, so it is laid onto the figure by its cut and not by its
 * outline.
 */
export interface DrawnGarment {
  readonly spec: GarmentSpec;
  readonly body: Raster;
  readonly arms?: Raster;
  readonly frame: Pick<Frame, 'waist' | 'hem' | 'half' | 'shoulder'> & { readonly sleeve?: SleeveFrame };
  /** Pixels per centimetre in both rasters, and the place of the neck point in them. */
  readonly density: number;
  readonly origin: Point;
  /** Whether that point is at the neck or at the middle of the waist. */
  readonly from: 'neck' | 'waist';
}

/**
 * The shapes of drawings that have a neck point but no cut: the waist, the hem, and the half-breadth at a
 * height.
 */
const FORMS: Readonly<Record<string, readonly [waist: number, hem: number, half: (y: number) => number]>> = {
  saree: [43, 142, halfOf(points('19 44, 24 56, 25 76, 27 108, 33 138'))],
  swimsuit: [40, 75, () => 19],
  jumpsuit: [40, 142, (y) => (y < 40 ? 19 : 26)],
  dungarees: [41, 138, (y) => (y < 41 ? 17 : 25.6)],
};

/** Whether a garment can be laid on by its cut. */
export const hangsByCut = ({ category }: GarmentSpec): boolean =>
  Object.hasOwn(CUTS, category.silhouette) ||
  Object.hasOwn(FORMS, category.silhouette) ||
  SKIRTS.includes(category.silhouette);

async function paint(
  sheet: SvgSheet,
  svg: string,
  box: Omit<Drawing, 'svg'>,
  density: number,
): Promise<Raster> {
  const [width, height] = [
    Math.ceil((box.right - box.left) * density),
    Math.ceil((box.bottom - box.top) * density),
  ];
  const transform = `scale(${density}) translate(${-box.left} ${-box.top})`;
  const layer = await rasterise(sheet.document(width, height, group({ transform }, svg)));
  watercolour(layer, 6, 2.6, density / 6, 31);
  return layer;
}

/** @param density pixels per centimetre */
export async function paintToWear(spec: GarmentSpec, seed: number, density: number): Promise<DrawnGarment> {
  const sheet = new SvgSheet();
  const pieces = upperPieces(sheet, spec, seed, true);
  if (pieces) {
    const { box, frame } = pieces;
    return {
      spec,
      body: await paint(sheet, pieces.body, box, density),
      ...(pieces.arms ? { arms: await paint(sheet, pieces.arms, box, density) } : {}),
      frame,
      density,
      origin: [-box.left * density, -box.top * density],
      from: 'neck',
    };
  }
  const drawing = drawGarment(sheet, spec, seed, true);
  const origin: Point = [-drawing.left * density, -drawing.top * density];
  const body = await paint(sheet, drawing.svg, drawing, density);
  if (SKIRTS.includes(spec.category.silhouette)) {
    const { frame } = drawSkirt(
      new Cloth(new SvgSheet(), fabricOf(spec), new SeededRandom(seed)),
      spec.category.silhouette,
      spec,
    );
    return { spec, body, frame, density, origin, from: 'waist' };
  }
  const [waist, hem, half] = FORMS[spec.category.silhouette] ?? [42, 100, () => 24];
  return {
    spec,
    body,
    frame: { waist, hem, half, shoulder: [20, 4] },
    density,
    origin,
    from: 'neck',
  };
}
