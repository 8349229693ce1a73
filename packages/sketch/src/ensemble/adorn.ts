import type { Outfit } from '../composition/outfit.js';
import type { Canvas } from '../composition/subject.js';
import type { Framing } from '../dressing/framing.js';
import { polygon } from '../drawing/curve.js';
import type { Point } from '../drawing/geometry.js';
import { SeededRandom } from '../drawing/seeded-random.js';
import { group, path } from '../drawing/svg-sheet.js';
import { stroke, type Pens } from '../figure/pens.js';
import { shade } from '../drawing/colour.js';
import { Cloth } from '../garments/cloth.js';
import { fabricOf, materialOf, type Fabric } from '../garments/fabric.js';
import { figureLayer, type Layer } from '../scene.js';
import { hang, type Hook } from './hang.js';
import type { Item } from './item.js';
import { earrings, gloves, rings, socks, sunglasses, watch } from './jewels.js';
import { bowTie, dupatta, neckerchief, necklace, necktie, scarf, shawl } from './wraps.js';

/** The categories that are worn in a way of their own. */
const NAMED = [
  'scarf',
  'silk_scarf',
  'dupatta',
  'shawl',
  'belt',
  'necktie',
  'bow_tie',
  'necklace',
  'earrings',
  'bangles',
  'bracelet',
  'watch',
  'sunglasses',
  'gloves',
  'tights',
  'socks',
] as const;

/** The ways to wear an accessory. `pinned` is for all others, which are worn like a brooch. */
type AccessoryKind = (typeof NAMED)[number] | 'pinned';

/** Share of its rectangle that a cut-out fills. */
function fullness({ shape: { mask } }: Item): number {
  let inside = 0;
  for (const value of mask.data) inside += value;
  return inside / Math.max(1, mask.data.length);
}

/**
 * The kind comes from the picture's own facts, or is guessed from the outline: a long thin thing is a belt, a
 * hollow one a necklace.
 */
function accessoryKind(item: Item): AccessoryKind {
  const named = NAMED.find((kind) => kind === item.spec?.category.key);
  if (named) return named;
  const broad = item.shape.width / Math.max(1, item.shape.height);
  const full = fullness(item);
  if (broad > 3.3) return 'belt';
  if (broad > 1.9) return full < 0.72 ? 'sunglasses' : 'bow_tie';
  if (full < 0.34) return 'necklace';
  if (broad < 0.26) return 'necktie';
  if (broad < 0.8) return 'scarf';
  return full > 0.6 ? 'silk_scarf' : 'pinned';
}

/** Figure units to a centimetre of the body. */
const CM = 3.35;

/** The cloth of a drawn item, or plain cloth in the colours of a photographed one. */
const fabricFor = (item: Item): Fabric =>
  item.spec
    ? fabricOf(item.spec, 0.8)
    : {
        colour: item.colours[0]?.hex ?? '#7d5d4c',
        accents: item.colours.slice(1).map(({ hex }) => hex),
        pattern: 'solid',
        material: materialOf(''),
        repeat: 0.8,
      };

const secondOf = (item: Item, otherwise: string): string => fabricFor(item).accents[0] ?? otherwise;

/** A belt follows the trunk, over all clothes at the waist. */
function belt(pens: Pens, { rig, worn }: Outfit, colour: string): string {
  const loose = worn.some(({ garment }) => garment.garmentClass === 'outerwear')
    ? 9
    : worn.length > 1
      ? 4.5
      : 3.4;
  const [top, low] = [297, 309];
  const edge = (side: 1 | -1, y: number): Point => rig.place((rig.proportions.trunk(y) + loose) * side, y);
  const upper = [edge(-1, top), rig.place(0, top + 3.5), edge(1, top)];
  const lower = [edge(1, low), rig.place(0, low + 3.5), edge(-1, low)];
  const [bx, by] = rig.place(0, top + 9.4);
  return [
    path(polygon([...upper, ...lower]), { fill: colour }),
    path(polygon([upper[1] ?? [0, 0], upper[2] ?? [0, 0], lower[0] ?? [0, 0], lower[1] ?? [0, 0]]), {
      fill: shade(colour, -9),
      'fill-opacity': 0.6,
    }),
    stroke(pens, upper, 1.3),
    stroke(pens, lower, 1.4),
    `<rect x="${(bx - 8.5).toFixed(1)}" y="${(by - 7.8).toFixed(1)}" width="17" height="15.6" rx="2" fill="none" stroke="${pens.palette.line}" stroke-width="3.6"/><rect x="${(bx - 8.5).toFixed(1)}" y="${(by - 7.8).toFixed(1)}" width="17" height="15.6" rx="2" fill="none" stroke="#c9ad6a" stroke-width="2.4"/>`,
  ].join('');
}

/** The side whose arm hangs free. Cloth falls from the shoulder on that side. */
const freeSide = ({ rig }: Outfit): 1 | -1 => (rig.poses.left.onHip || !rig.poses.right.onHip ? 1 : -1);

function drawn(pens: Pens, outfit: Outfit, item: Item): string {
  const { rig } = outfit;
  const cloth = new Cloth(
    pens.sheet,
    fabricFor(item),
    new SeededRandom(rig.spec.random.fork(item.name).next() * 1e9),
    false,
  );
  const [nx, ny] = rig.place(0, 140);
  const onBody = (svg: string): string =>
    group({ transform: `translate(${nx.toFixed(1)} ${ny.toFixed(1)}) scale(${CM})` }, svg);
  const colour = cloth.fabric.colour;
  const kind = accessoryKind(item);
  switch (kind) {
    case 'scarf':
      return onBody(scarf(cloth));
    case 'silk_scarf':
    case 'pinned':
      return onBody(neckerchief(cloth));
    case 'dupatta':
      return onBody(dupatta(cloth, freeSide(outfit), secondOf(item, '#c9a04f')));
    case 'shawl':
      return onBody(shawl(cloth));
    case 'necktie':
      return onBody(necktie(cloth));
    case 'bow_tie':
      return onBody(bowTie(cloth));
    case 'necklace':
      return onBody(necklace(cloth, secondOf(item, '#9a1f3d')));
    case 'belt':
      return belt(pens, outfit, colour);
    case 'earrings':
      return earrings(pens, rig, colour, secondOf(item, '#14704f'));
    case 'bangles':
      return rings(pens, rig, 'right', [colour, secondOf(item, '#a5273a')], 5);
    case 'bracelet':
      return rings(pens, rig, 'right', [colour, secondOf(item, shade(colour, 12))], 2);
    case 'watch':
      return watch(pens, rig, 'left', colour);
    case 'sunglasses':
      return sunglasses(pens, rig, colour, secondOf(item, '#37332f'));
    case 'gloves':
      return gloves(pens, rig, colour);
    case 'socks':
      return socks(pens, rig, colour);
    case 'tights':
      return '';
    default: {
      const unknown: never = kind;
      throw new RangeError(`no way to wear ${String(unknown)}`);
    }
  }
}

/** The place for a photographed thing that can be worn as it looks in the photograph. */
function hookFor(item: Item, { rig }: Outfit): Hook | undefined {
  if (item.spec) return undefined;
  switch (accessoryKind(item)) {
    case 'necklace':
      return { at: rig.place(0, 128), width: 58 };
    case 'necktie':
      return {
        at: rig.place(0, 144),
        width: 26 * Math.max(1, (item.shape.width / item.shape.height) * 5),
        height: 160,
      };
    case 'bow_tie':
      return { at: rig.place(0, 141), width: 46 };
    default:
      return undefined;
  }
}

/** Socks lie under shoes and hems, everything else over the clothes. */
export const isSocks = (item: Item): boolean =>
  item.category === 'accessory' && accessoryKind(item) === 'socks';

/** The colour of the gloves, if any are worn. */
export const gloveColour = (items: readonly Item[]): string | undefined =>
  items.find((item) => item.category === 'accessory' && accessoryKind(item) === 'gloves')?.colours[0]?.hex;

const UNDER_ARMS: readonly string[] = ['belt', 'necktie', 'bow_tie'];

/** Whether an accessory lies under arms and hands rather than over head and shoulders. */
export const underArms = (item: Item): boolean => UNDER_ARMS.includes(accessoryKind(item));

/** The layers of some accessories, in their order. */
export async function adorn(
  outfit: Outfit,
  items: readonly Item[],
  framing: Framing,
  canvas: Canvas,
): Promise<Layer[]> {
  const layers: Layer[] = [];
  for (const item of items) {
    const hook = hookFor(item, outfit);
    if (hook) layers.push(...(await hang(item.cut, hook, framing, canvas)));
    else
      layers.push(
        await figureLayer(outfit.rig.spec, framing, canvas.width, canvas.height, (pens) =>
          drawn(pens, outfit, item),
        ),
      );
  }
  return layers;
}
