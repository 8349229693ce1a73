import type { FigureSpec } from '../casting/figure-spec.js';
import type { GarmentClass } from '../cutout/classify.js';
import { legGap } from '../cutout/classify.js';
import { close, components, type Mask } from '../cutout/mask.js';
import { Silhouette } from '../cutout/silhouette.js';
import type { Framing } from '../dressing/dress.js';
import { clamp, lerp, smoothstep, type Point } from '../drawing/geometry.js';
import { Limb } from '../figure/limb.js';
import { buildRig, type ArmPose, type Rig } from '../figure/rig.js';
import { wornGarments, type GarmentRegion } from '../reading/garments.js';
import type { Head } from '../reading/head.js';
import type { Photograph } from '../reading/photograph.js';
import { readWearer, type Wearer } from '../reading/wearer.js';
import type { KnownSource } from './known-source.js';
import { resampled } from './mend.js';
import { piecewise } from '../dressing/fit.js';

/** Chin, shoulders, waist, crotch and soles of the drawn figure, and of a photographed person with the same head. */
const CHIN = 111;
const SHOULDERS = 149;
const LANDMARKS: readonly (readonly [drawn: number, seen: number])[] = [
  [0, 0],
  [CHIN, CHIN],
  [SHOULDERS, 146],
  [300, 284],
  [410, 388],
];
const SOLES: readonly [drawn: number, seen: number] = [892, 752];

/** A person in a photograph as the carrying over of cloth needs to see one: figure units by the size of the head. */
interface Observed {
  readonly framing: Framing;
  /** Height on the drawn figure → height in the photograph, both in figure units. */
  readonly seenAt: (y: number) => number;
  /** The mask's runs at a drawn height, figure units from the head's middle line. */
  readonly runs: (y: number) => readonly (readonly [from: number, to: number])[];
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Where cloth begins over the shoulders, in the photograph's figure units; undefined for bare ones. */
function shouldersOf(cloth: Mask, head: Head): number | undefined {
  const unit = head.unit / 100;
  const tops = [-46, -38, -30, 30, 38, 46].flatMap((x) => {
    const column = Math.round(head.x + x * unit);
    if (column < 0 || column >= cloth.width) return [];
    for (let y = 0; y < cloth.height; y++)
      if (cloth.data[y * cloth.width + column]) return [CHIN + (y - head.chin) / unit];
    return [];
  });
  const top = tops.length === 6 ? median(tops) : 0;
  return top > 112 && top < 190 ? top : undefined;
}

/** @param shoulders where the cloth begins in the photograph, which is where it must begin on the drawn figure */
function observe(
  { small, ratio }: Photograph,
  mask: Mask,
  head: Head,
  bottom: number,
  shoulders: number | undefined,
): Observed {
  const unit = head.unit / 100;
  const top = head.chin - CHIN * unit;
  const whole = bottom < small.height - 3;
  const feet = whole ? (bottom - top) / unit : SOLES[1];
  const landmarks = LANDMARKS.map(([drawn, seen]): Point => [
    drawn,
    drawn === SHOULDERS && shoulders !== undefined ? shoulders + 4 : seen,
  ]);
  const seenAt = piecewise([...landmarks, [SOLES[0], Math.max(430, feet)]]);
  const silhouette = new Silhouette(mask);
  return {
    framing: { scale: unit * ratio, x: head.x * ratio, y: top * ratio },
    seenAt,
    runs: (y) => {
      const row = clamp(Math.round(top + seenAt(y) * unit), 0, mask.height - 1);
      return (silhouette.runs[row] ?? []).map(
        ({ from, to }) => [(from - head.x) / unit, (to - head.x) / unit] as const,
      );
    },
  };
}

/** Hands: the lowest skin to either side of the body, with the arm that leads there. */
function armsOf(seen: Observed, wearer: Wearer, { ratio }: Photograph, rig: Rig): Rig['poses'] {
  const { skin, head } = wearer;
  const { labels, list } = components(skin, 1);
  const { framing } = seen;
  const drawnAt = piecewise([...LANDMARKS, [SOLES[0]]].map(([y]): Point => [seen.seenAt(y), y]));
  const place = (i: number): Point => [
    ((i % skin.width) * ratio - framing.x) / framing.scale,
    drawnAt((Math.floor(i / skin.width) * ratio - framing.y) / framing.scale),
  ];
  const lowest = new Map<number, Point>();
  for (let i = 0; i < labels.length; i++) if (labels[i]) lowest.set(labels[i] ?? 0, place(i));
  const face = labels[Math.round(head.y) * skin.width + Math.round(head.x)];
  const pose = (side: -1 | 1, own: ArmPose): ArmPose => {
    const hands = list
      .filter((c) => c.label !== face)
      .map((c) => lowest.get(c.label) ?? [0, 0])
      .filter(([x, y]) => x * side > 18 && y > 250 && y < 560)
      .sort((a, b) => b[1] - a[1]);
    const tip = hands[0];
    if (!tip) return own;
    const shoulder: Point = [(rig.proportions.shoulder - 10) * side, 171];
    const wrist: Point = [lerp(tip[0], shoulder[0], 0.1), tip[1] - 60];
    const reach = Math.hypot(wrist[0] - shoulder[0], wrist[1] - shoulder[1]);
    // The arm bends outward as far as its length asks.
    const bow = Math.min(20, Math.sqrt(Math.max(0, 123 ** 2 - (reach / 2) ** 2)) * 0.5 + 4);
    const elbow: Point = [lerp(shoulder[0], wrist[0], 0.54) + bow * side, lerp(shoulder[1], wrist[1], 0.54)];
    return { elbow, wrist, handTurn: 0, onHip: false };
  };
  return { left: pose(-1, rig.poses.left), right: pose(1, rig.poses.right) };
}

/** Legs where the outline shows them apart from each other and near where legs can be; the drawn figure's own elsewhere. */
function legsOf(seen: Observed, rig: Rig): Rig['legs'] {
  const rows = [376, 488, 606, 716, 826];
  const joints = (name: 'left' | 'right'): Point[] =>
    rows.map((y, k): Point => {
      const usual = rig.legs[name].axisAt((y - 376) / 450);
      const runs = seen.runs(y).filter(([from, to]) => to - from > 7 && to > -110 && from < 110);
      const own = name === 'left' ? runs[0] : runs[runs.length - 1];
      const middle = own ? (own[0] + own[1]) / 2 : usual;
      return [k > 0 && runs.length === 2 && Math.abs(middle - usual) < 36 ? middle : usual, y];
    });
  return {
    left: new Limb(joints('left'), rig.proportions.leg, -1),
    right: new Limb(joints('right'), rig.proportions.leg, 1),
  };
}

/** The cloth's run over the trunk at a drawn height. */
const clothRun = (cloth: Observed, y: number): readonly [from: number, to: number] | undefined =>
  cloth.runs(y).find(([from, to]) => from < 0 && to > 0);

const TRUNK_ROWS = Array.from({ length: 23 }, (_, k) => 196 + 10 * k);

/** Reads a table of values at the trunk's rows, outliers (an arm that touches the trunk) left out. */
const reader =
  (values: readonly number[]): ((y: number) => number) =>
  (y) => {
    const at = clamp(Math.round((y - 196) / 10), 0, values.length - 1);
    return median(values.slice(Math.max(0, at - 3), at + 4));
  };

/**
 * The wearer's body as the cloth tells it: it leans where the hips lean, and is as broad as the new wearer's where the cloth
 * is broad enough for that, else as broad as the cloth, which is then let out.
 */
function observedRig(
  seen: Observed,
  cloth: Observed,
  wearer: Wearer,
  photograph: Photograph,
  spec: FigureSpec,
): Rig {
  const runs = TRUNK_ROWS.map((y) => clothRun(cloth, y));
  // One figure for the whole lean: an arm that touches the trunk in some rows must not bend the cloth there.
  const hips = [350, 365, 380, 395, 410, 425].map((y) => clothRun(cloth, y) ?? [0, 0]);
  const lean = clamp(median(hips.map(([from, to]) => (from + to) / 2)), -14, 14);
  const upright: FigureSpec = { ...spec, stance: 'relaxed', lean: lean < 0 ? -1 : 1 };
  const own = buildRig(upright);
  const posed = buildRig(upright, armsOf(seen, wearer, photograph, own));
  const trunk = reader(
    runs.map((run, k) => {
      const wanted = own.proportions.trunk(Math.min(410, TRUNK_ROWS[k] ?? 410));
      return run ? clamp((run[1] - run[0]) / 2 - 2.5, wanted * 0.7, wanted) : wanted;
    }),
  );
  const { shoulder: wanted } = own.proportions;
  const breadths = [160, 168, 176].map((y) => clothRun(cloth, y) ?? [-wanted, wanted]);
  const shoulder = clamp(median(breadths.map(([from, to]) => (to - from) / 2)) - 2, wanted * 0.74, wanted);
  const place: Rig['place'] = (x, y) => [x + lean * smoothstep(230, 390, y), seen.seenAt(y)];
  return { ...posed, proportions: { ...own.proportions, trunk, shoulder }, place, legs: legsOf(seen, own) };
}

/** What hides cloth: hair and hands between the cloth's own edges, row by row, below the collar. */
function hidingCloth(cloth: Mask, wearer: Wearer): Mask {
  const { width, height } = cloth;
  const data = new Uint8Array(width * height);
  const { labels } = components(wearer.skin, 1);
  const face = labels[Math.round(wearer.head.y) * width + Math.round(wearer.head.x)] ?? -1;
  const from = Math.round(wearer.head.chin + wearer.head.unit * 0.35);
  for (let y = from; y < height; y++) {
    const row = cloth.data.subarray(y * width, (y + 1) * width);
    const [first, last] = [row.indexOf(1), row.lastIndexOf(1)];
    for (let x = first + 1; first >= 0 && x < last; x++) {
      const i = y * width + x;
      const hand = wearer.skin.data[i] && labels[i] !== face && wearer.head.unit * 3.2 + wearer.head.chin > y;
      if (!cloth.data[i] && (wearer.hair.data[i] || hand)) data[i] = 1;
    }
  }
  return close({ data, width, height }, 1);
}

const UPPER: readonly GarmentClass[] = ['top', 'outerwear', 'dress'];

function classesOf(regions: readonly GarmentRegion[]): GarmentClass[] {
  return regions.flatMap(({ slot, mask }): GarmentClass[] => {
    switch (slot) {
      case 'upper':
        return ['top'];
      case 'outer':
        return ['outerwear'];
      case 'one_piece':
        return ['dress'];
      case 'lower': {
        const shape = new Silhouette(mask);
        return legGap(shape) > 0.2 ? [shape.height > shape.width * 1.2 ? 'trousers' : 'shorts'] : ['skirt'];
      }
      default:
        return [];
    }
  });
}

/**
 * A photographed person as a source for a swap: what is worn is told by its looks, the pose and the breadth of the body by
 * the outline.
 * @returns undefined when nothing is worn that could be carried over
 */
export function observeSource(
  photograph: Photograph,
  subject: Mask,
  head: Head,
  spec: FigureSpec,
): (KnownSource & { readonly stand: Framing }) | undefined {
  const { planes, full, ratio, small } = photograph;
  const wearer = readWearer(planes, subject, head);
  const regions = wornGarments(planes, subject, wearer);
  const garmentClasses = classesOf(regions);
  if (garmentClasses.length === 0) return undefined;
  const cloth: Mask = { ...subject, data: new Uint8Array(subject.data.length) };
  for (const { slot, mask } of regions)
    if (['upper', 'outer', 'one_piece', 'lower'].includes(slot))
      mask.data.forEach((v, i) => v && (cloth.data[i] = 1));
  const front = hidingCloth(cloth, wearer);
  const whole = close({ ...cloth, data: cloth.data.map((v, i) => v | (front.data[i] ?? 0)) }, 1);
  const bottom = Math.floor(subject.data.lastIndexOf(1) / subject.width);
  const shoulders = garmentClasses.some((one) => UPPER.includes(one)) ? shouldersOf(whole, head) : undefined;
  const seen = observe(photograph, subject, head, bottom, shoulders);
  const feet = bottom < small.height - 3;
  const { framing } = seen;
  // A drawn figure has more heads to its height: seen whole it keeps the height, cropped it keeps the head.
  const scale = feet ? (bottom * ratio - framing.y) / SOLES[0] : framing.scale;
  return {
    picture: full,
    framing,
    stand: { ...framing, scale },
    shows: feet
      ? 'full'
      : seen.seenAt(700) * framing.scale + framing.y < full.height
        ? 'three_quarter'
        : 'half',
    rig: observedRig(seen, observe(photograph, whole, head, bottom, shoulders), wearer, photograph, spec),
    subject: resampled(subject, full.width, full.height),
    cloth: resampled(whole, full.width, full.height),
    front: resampled(front, full.width, full.height),
    garmentClasses,
  };
}
