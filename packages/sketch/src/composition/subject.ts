import { dress } from '../dressing/dress.js';
import type { Framing } from '../dressing/framing.js';
import type { Raster } from '../drawing/rasterise.js';
import { drawVest } from '../figure/base-wear.js';
import { drawArm, drawLeg, drawNeck, drawTrunk } from '../figure/body.js';
import { drawHead } from '../figure/head.js';
import { drawLegwear } from '../figure/legwear.js';
import type { Pens } from '../figure/pens.js';
import { SIDES } from '../figure/rig.js';
import { figureLayers, type DrawnPart, type Layer } from '../scene.js';
import { breathe } from '../abort.js';
import type { Outfit } from './outfit.js';

export interface Canvas {
  readonly width: number;
  readonly height: number;
}

/** A person's layers, each drawn once. The undressed stage and the dressed picture both use them. */
export interface FigureLayers {
  readonly bare: Layer | undefined;
  /** The base wear that the outfit leaves to be seen. */
  readonly base: Layer | undefined;
  /** Full base wear, for a picture of the person before dressing. */
  readonly plain: Layer | undefined;
  /** Arms, neck, head and hair in front of the garments. */
  readonly over: Layer | undefined;
}

const part = (svg: string, half: number, top: number, bottom: number): DrawnPart => ({
  svg,
  from: [-half, top],
  to: [half, bottom],
});

function drawParts(
  pens: Pens,
  outfit: Outfit,
  plain: boolean,
): Record<keyof FigureLayers, DrawnPart | undefined> {
  const { rig, base, armsInFront, collar } = outfit;
  const head = drawHead(pens, rig.spec);
  const backLeg = rig.weightSide === 'left' ? 'right' : 'left';
  const legs = drawLeg(pens, rig, backLeg) + drawLeg(pens, rig, rig.weightSide);
  const arms = SIDES.map(([name]) => drawArm(pens, rig, name)).join('');
  const hands =
    armsInFront === 'all'
      ? arms
      : SIDES.filter(([name]) => armsInFront === 'forearms' || rig.poses[name].onHip)
          .map(([name]) => drawArm(pens, rig, name, 0.56))
          .join('');
  const neck = collar === undefined ? '' : drawNeck(pens, rig, collar);
  const wear = (legwear: number, vest: boolean, lining?: string): string =>
    (legwear > 0 ? drawLegwear(pens, rig, legwear, lining) : '') + (vest ? drawVest(pens, rig) : '');
  return {
    bare: part(head.back + arms + legs + drawTrunk(pens, rig), 270, -90, 910),
    base: part(wear(base.legwear, base.vest, base.lining), 160, 120, 910),
    plain: plain ? part(wear(0.9, true), 160, 120, 910) : undefined,
    over: part(hands + neck + head.over + head.face + head.front, 270, -90, 620),
  };
}

/** @param plain whether to draw the person before dressing, too */
export const drawPerson = (
  outfit: Outfit,
  framing: Framing,
  { width, height }: Canvas,
  plain: boolean,
): Promise<FigureLayers> =>
  figureLayers(outfit.rig.spec, framing, width, height, (pens) => drawParts(pens, outfit, plain));

/** The layers that were drawn. */
export const present = (layers: readonly (Layer | undefined)[]): Layer[] =>
  layers.filter((layer): layer is Layer => layer !== undefined);

/** The person in plain base wear, back to front. */
export const undressed = ({ bare, plain, over }: FigureLayers): Layer[] => present([bare, plain, over]);

/** The person with the garments on, back to front. */
export const dressed = ({ bare, base, over }: FigureLayers, cloth: readonly Raster[]): Layer[] =>
  present([bare, base, ...cloth, over]);

/** The garments on the figure: transparent layers of the canvas's size, from the skin outward. */
export async function layCloth(
  { worn }: Outfit,
  framing: Framing,
  { width, height }: Canvas,
  signal: AbortSignal,
): Promise<Raster[]> {
  const cloth: Raster[] = [];
  for (const { garment, fit } of worn) {
    cloth.push(await dress(garment.cut, fit, framing, width, height));
    await breathe(signal);
  }
  return cloth;
}
