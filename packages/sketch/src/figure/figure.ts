import { drawArm, drawLeg, drawTrunk } from './body.js';
import { drawVest } from './base-wear.js';
import { drawHead } from './head.js';
import { drawLegwear } from './legwear.js';
import type { Pens } from './pens.js';
import { SIDES, type Rig } from './rig.js';

/**
 * A figure in base wear, as SVG in figure units. A portrait is not `full`: it ends above the legs. The arms lie
 * under the trunk, so that shoulder and chest join without a seam. Forearms that rest on the body lie over it.
 */
export function drawFigure(pens: Pens, rig: Rig, full: boolean): string {
  const head = drawHead(pens, rig.spec);
  const backLeg = rig.weightSide === 'left' ? 'right' : 'left';
  const body = [
    ...(full ? [drawLeg(pens, rig, backLeg), drawLeg(pens, rig, rig.weightSide)] : []),
    drawTrunk(pens, rig),
    full ? drawLegwear(pens, rig, 0.9) : '',
    drawVest(pens, rig),
  ].join('');
  const arms = SIDES.map(([name]) => drawArm(pens, rig, name)).join('');
  const resting = SIDES.filter(([name]) => rig.poses[name].onHip);
  const hands = resting.map(([name]) => drawArm(pens, rig, name, 0.56)).join('');
  return head.back + arms + body + hands + head.over + head.face + head.front;
}
