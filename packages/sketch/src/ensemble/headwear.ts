import type { FigureSpec } from '../casting/figure-spec.js';
import type { Outfit } from '../composition/outfit.js';
import type { Canvas } from '../composition/subject.js';
import type { Framing } from '../dressing/framing.js';
import { inkEdge } from '../dressing/form.js';
import { SeededRandom } from '../drawing/seeded-random.js';
import { group } from '../drawing/svg-sheet.js';
import { HeadFrame } from '../face/head-frame.js';
import { HEAD_DROP } from '../figure/head.js';
import { Cloth } from '../garments/cloth.js';
import { fabricOf } from '../garments/fabric.js';
import { drawHat } from '../garments/hats.js';
import { figureLayer, type Layer } from '../scene.js';
import { hang } from './hang.js';
import type { Item } from './item.js';

const COVERED: readonly string[] = ['turban', 'headscarf'];

const FLATTENED: Partial<Record<FigureSpec['hair']['style'], FigureSpec['hair']['style']>> = {
  cloud: 'bob',
  bun: 'ponytail',
  curly_top: 'crop',
};

/**
 * The figure with its hair under a hat. Upright hair is pressed down; hair under a turban or scarf is left out.
 */
export function underHat(spec: FigureSpec, items: readonly Item[]): FigureSpec {
  const hat = items.find(({ category }) => category === 'headwear');
  if (!hat) return spec;
  const { hair } = spec;
  const covered = COVERED.includes(hat.spec?.category.key ?? '');
  return { ...spec, hair: { ...hair, style: covered ? 'buzz' : (FLATTENED[hair.style] ?? hair.style) } };
}

/**
 * The breadth of a photographed hat's crown, as a share of the whole hat. The brim does not count, because it
 * reaches beyond the head.
 */
function crownShare({ shape }: Item): number {
  const { from, to } = shape.extent(shape.row(0.4));
  return Math.max(0.3, Math.min(1, (to - from) / Math.max(1, shape.width)));
}

/** The hat on the head, turned and tilted with it. */
export async function wearHat(
  { rig }: Outfit,
  item: Item,
  framing: Framing,
  canvas: Canvas,
): Promise<Layer[]> {
  const { spec } = rig;
  const head = new HeadFrame(spec, [0, HEAD_DROP]);
  const { tilt } = spec.face;
  const reach = head.half(26) * 1.2;
  const drawn = item.spec;
  if (!drawn) {
    const width = (2 * reach) / crownShare(item);
    const tall = (width * item.shape.height) / Math.max(1, item.shape.width);
    const [x, y] = head.free(0, 34);
    return hang(item.cut, { at: [x, y - tall], width, height: tall, turn: tilt }, framing, canvas);
  }
  const [x, y] = head.free(0, drawn.category.key === 'headscarf' ? 32 : 26);
  const scale = reach / 20.4;
  const layer = await figureLayer(spec, framing, canvas.width, canvas.height, (pens) => {
    const cloth = new Cloth(pens.sheet, fabricOf(drawn, 0.7), new SeededRandom(11), false);
    const transform = `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${((tilt * 180) / Math.PI).toFixed(1)}) scale(${scale.toFixed(3)})`;
    return group({ transform }, drawHat(cloth, drawn)?.svg ?? '');
  });
  return [{ ...layer, data: await inkEdge(layer, framing.scale * 0.8) }, layer];
}
