import type { Outfit } from '../composition/outfit.js';
import type { Canvas } from '../composition/subject.js';
import type { Framing } from '../dressing/framing.js';
import { rotate, type Point, opposite } from '../drawing/geometry.js';
import { drawHand } from '../figure/hand.js';
import { figureLayer, type Layer } from '../scene.js';
import { hang } from './hang.js';
import type { Item } from './item.js';
import { gloved } from './jewels.js';

/** Breadth by category, in figure units (a hand is 18 broad). A photographed bag counts as a handbag. */
const BREADTH: Readonly<Record<string, number>> = {
  handbag: 104,
  tote_bag: 118,
  crossbody_bag: 84,
  clutch: 92,
  backpack: 112,
  potli_bag: 66,
};

/** The arm that carries: the one that hangs, or the right one if both hang. */
const carrier = ({ rig }: Outfit): 'left' | 'right' =>
  rig.poses.right.onHip && !rig.poses.left.onHip ? 'left' : 'right';

/**
 * A bag hangs from a hand, whose fingers close over its handle. A small bag hangs from the shoulder on a long
 * strap.
 */
export async function carry(
  outfit: Outfit,
  item: Item,
  glove: string | undefined,
  framing: Framing,
  canvas: Canvas,
): Promise<{ readonly bag: Layer[]; readonly hand: Layer[] }> {
  const { rig } = outfit;
  const name = carrier(outfit);
  const arm = rig.arms[name];
  const tall = item.shape.height / Math.max(1, item.shape.width);
  const key = item.spec?.category.key ?? (tall > 1.55 ? 'crossbody_bag' : tall < 0.72 ? 'clutch' : 'handbag');
  const width = BREADTH[key] ?? 104;
  const angle = arm.endAngle + rig.poses[name].handTurn;
  const wrist = arm.point(1, 0);
  if (key === 'crossbody_bag') {
    const [x, y] = arm.point(0.06, 0.2);
    const bag = await hang(
      item.cut,
      { at: [x + arm.side * 6, y - 12], width: 88, height: 300 },
      framing,
      canvas,
    );
    return { bag, hand: [] };
  }
  const grip = key === 'clutch' ? -4 : 36;
  const [gx, gy] = rotate([0, grip], angle);
  const at: Point = [wrist[0] + gx + (key === 'clutch' ? -arm.side * 8 : 0), wrist[1] + gy];
  const bag = await hang(
    item.cut,
    { at, width: Math.min(width, 190 / Math.max(0.6, tall)) },
    framing,
    canvas,
  );
  const hand = await figureLayer(rig.spec, framing, canvas.width, canvas.height, (pens) =>
    drawHand(glove ? gloved(pens, glove) : pens, wrist, angle, opposite(arm.side), rig.proportions.handScale),
  );
  return { bag, hand: [hand] };
}
