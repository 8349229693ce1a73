import { drawArm, drawLeg, drawTrunk } from './body.js';
import { drawVest } from './base-wear.js';
import { drawHead, type HeadLayers } from './head.js';
import { drawLegwear } from './legwear.js';
import type { Pens } from './pens.js';
import { SIDES, type Rig } from './rig.js';

interface FigureOptions {
  /** Where on the leg the trousers end, 0–1; at 0 there are none. */
  readonly legwear: number;
  readonly vest: boolean;
  readonly arms: boolean;
  /** Whether the legs are drawn. A portrait ends above them. */
  readonly legs: boolean;
  /** The colour of gaps between the seams of trousers that lie over the drawing. */
  readonly lining?: string;
}

/** The figure's layers, back to front, as SVG in figure units. */
interface FigureLayers {
  readonly head: HeadLayers;
  readonly body: string;
  readonly arms: string;
  /** Forearms that rest on the body and so lie in front of it. */
  readonly hands: string;
}

export function drawFigure(pens: Pens, rig: Rig, options: FigureOptions): FigureLayers {
  const head = drawHead(pens, rig.spec);
  const backLeg = rig.weightSide === 'left' ? 'right' : 'left';
  const body = [
    ...(options.legs ? [drawLeg(pens, rig, backLeg), drawLeg(pens, rig, rig.weightSide)] : []),
    drawTrunk(pens, rig),
    options.legwear > 0 ? drawLegwear(pens, rig, options.legwear, options.lining) : '',
    options.vest ? drawVest(pens, rig, 336) : '',
  ].join('');
  const arms = options.arms ? SIDES.map(([name]) => drawArm(pens, rig, name)).join('') : '';
  const resting = options.arms ? SIDES.filter(([name]) => rig.poses[name].onHip) : [];
  const hands = resting.map(([name]) => drawArm(pens, rig, name, 0.56)).join('');
  return { head, body, arms, hands };
}

/** All layers together. The arms lie under the trunk, so that shoulder and chest join without a seam. */
export const flat = ({ head, body, arms, hands }: FigureLayers): string =>
  head.back + arms + body + hands + head.over + head.face + head.front;
