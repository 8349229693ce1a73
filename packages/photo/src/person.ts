import { faceIn, facesIn, squareAround } from './faces.js';
import { poseModel, segmentationModel, type PictureModel } from './models.js';
import { rgbOf, scaledPlane, squared, type Box, type Picture, type Plane } from './raster.js';

/** In the order of the pose model's output. Left and right are the person's own. */
const JOINTS = [
  'nose',
  'leftEye',
  'rightEye',
  'leftEar',
  'rightEar',
  'leftShoulder',
  'rightShoulder',
  'leftElbow',
  'rightElbow',
  'leftWrist',
  'rightWrist',
  'leftHip',
  'rightHip',
  'leftKnee',
  'rightKnee',
  'leftAnkle',
  'rightAnkle',
] as const;
export type Joint = (typeof JOINTS)[number];

/** A place in the picture, pixels, and the model's confidence, 0–1. */
export interface Sighting {
  readonly x: number;
  readonly y: number;
  readonly score: number;
}

/** A person in a picture. */
export interface Person {
  /**
   * Probability that a pixel shows the person, at up to 768 pixels a side. The contour is soft and a few pixels
   * off.
   */
  readonly mask: Plane;
  /** Bounds of the person, pixels of the picture. */
  readonly box: Box;
  readonly joints: Readonly<Record<Joint, Sighting>>;
  /** How sure it is that there is a head, 0–1. */
  readonly headScore: number;
  /** How sure it is that the head has a face, 0–1. */
  readonly faceScore: number;
  /**
   * Breadth of the mask's soft rim, in pixels of the mask: 3–10 where the model is sure, 40 and more where it
   * guesses.
   */
  readonly doubt: number;
  /** Joints that are surely in the picture but not in the mask: the mask lacks a part of the body there. */
  readonly lost: readonly Joint[];
}

/** Long side of a mask. The model's 256 pixels cover a half or a third of the picture. */
const MASK_SIDE = 768;

/** The mean over a view and its mirror image, because the model's guesses differ between the two. */
async function segmented(model: PictureModel, picture: Picture, box: Box): Promise<Plane> {
  const { width, height } = model;
  const rgb = await rgbOf(picture, box, width, height);
  const mirrored = new Uint8Array(rgb.length);
  for (let i = 0; i < rgb.length; i += 3) {
    const pixel = i / 3;
    const x = pixel % width;
    const o = (pixel - x + width - 1 - x) * 3;
    for (let c = 0; c < 3; c++) mirrored[o + c] = rgb[i + c] ?? 0;
  }
  const [one, other] = [model.run(rgb), model.run(mirrored)];
  const data = one.map((v, i) => {
    const x = i % width;
    return (v + (other[i - x + width - 1 - x] ?? 0)) / 2;
  });
  return { data, width, height };
}

interface Region {
  area: number;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A pixel above this value may belong to the rim of a region. */
const FAINT = 0.05;

/**
 * The regions in which a plane is above one half. `labels` numbers them from 1. It gives each faint pixel the
 * number of the nearest region, or 0 if the pixel is connected to none.
 */
function regionsOf({ data, width, height }: Plane): { labels: Int32Array; list: Region[] } {
  const labels = new Int32Array(data.length);
  const queue = new Int32Array(data.length);
  const list: Region[] = [];
  let [first, last] = [0, 0];
  const grow = (limit: number, seen?: (i: number) => void): void => {
    while (first < last) {
      const i = queue[first++] ?? 0;
      seen?.(i);
      const x = i % width;
      for (const next of [x > 0 ? i - 1 : -1, x < width - 1 ? i + 1 : -1, i - width, i + width]) {
        if (next < 0 || next >= data.length || labels[next] || (data[next] ?? 0) <= limit) continue;
        labels[next] = labels[i] ?? 0;
        queue[last++] = next;
      }
    }
  };
  for (let start = 0; start < data.length; start++) {
    if ((data[start] ?? 0) <= 0.5 || labels[start]) continue;
    const region: Region = { area: 0, left: width, top: height, right: 0, bottom: 0 };
    list.push(region);
    labels[start] = list.length;
    queue[last++] = start;
    grow(0.5, (i) => {
      const x = i % width;
      const y = (i - x) / width;
      region.area++;
      region.left = Math.min(region.left, x);
      region.right = Math.max(region.right, x + 1);
      region.top = Math.min(region.top, y);
      region.bottom = Math.max(region.bottom, y + 1);
    });
  }
  // The second pass grows all regions into their rims at the same time.
  first = 0;
  grow(FAINT);
  return { labels, list };
}

/** A region smaller than this share of the largest one is a guess, not a second person. */
const LEAST_REGION = 0.2;

/** The largest region and those of similar size, with their soft rims; `undefined` if the mask is empty. */
function mainRegions(plane: Plane): { plane: Plane; box: Box } | undefined {
  const { data, width, height } = plane;
  const { labels, list } = regionsOf(plane);
  const largest = Math.max(0, ...list.map(({ area }) => area));
  if (largest < data.length * LEAST_SHARE) return undefined;
  const kept = list.filter(({ area }) => area >= largest * LEAST_REGION);
  const keeps = [false, ...list.map((region) => kept.includes(region))];
  const cleaned = data.map((v, i) => (keeps[labels[i] ?? 0] ? v : 0));
  const left = Math.min(...kept.map((one) => one.left));
  const top = Math.min(...kept.map((one) => one.top));
  const right = Math.max(...kept.map((one) => one.right));
  const bottom = Math.max(...kept.map((one) => one.bottom));
  return {
    plane: { data: cleaned, width, height },
    box: { left, top, width: right - left, height: bottom - top },
  };
}

/** Share of the picture below which a region is no person. */
const LEAST_SHARE = 0.006;

/** Converts a box of a plane to pixels of the picture, and widens it by a share of its sides. */
function widened(box: Box, plane: Plane, { width, height }: Picture, by: number): Box {
  const [sx, sy] = [width / plane.width, height / plane.height];
  const [dx, dy] = [box.width * sx * by, box.height * sy * by];
  const left = Math.max(0, Math.floor(box.left * sx - dx));
  const top = Math.max(0, Math.floor(box.top * sy - dy));
  const right = Math.min(width, Math.ceil((box.left + box.width) * sx + dx));
  const bottom = Math.min(height, Math.ceil((box.top + box.height) * sy + dy));
  return { left, top, width: right - left, height: bottom - top };
}

/**
 * Puts a closer view's mask into the mask of the whole picture. It fades out at the sides that lie inside the
 * picture.
 */
function blended(whole: Plane, near: Plane, at: Box, picture: Picture): Plane {
  const scale = whole.width / picture.width;
  const [left, top] = [Math.round(at.left * scale), Math.round(at.top * scale)];
  const width = Math.min(whole.width - left, Math.round(at.width * scale));
  const height = Math.min(whole.height - top, Math.round(at.height * scale));
  const { data } = scaledPlane(near, width, height);
  const out = Float32Array.from(whole.data);
  const fade = Math.max(2, Math.min(width, height) * 0.05);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const rims = [
        left > 0 ? x / fade : 1,
        top > 0 ? y / fade : 1,
        left + width < whole.width ? (width - 1 - x) / fade : 1,
        top + height < whole.height ? (height - 1 - y) / fade : 1,
      ];
      const weight = Math.min(1, ...rims);
      const o = (y + top) * whole.width + x + left;
      out[o] = (out[o] ?? 0) * (1 - weight) + (data[y * width + x] ?? 0) * weight;
    }
  }
  return { ...whole, data: out };
}

/**
 * Views that show the person larger than the whole picture does: first the whole person, then the upper half of
 * a person far taller than broad. The model does not recognise legs alone.
 */
function nearer(box: Box, picture: Picture): Box[] {
  const within = (left: number, top: number, right: number, bottom: number): Box => {
    const [x, y] = [Math.max(0, Math.floor(left)), Math.max(0, Math.floor(top))];
    const width = Math.min(picture.width, Math.ceil(right)) - x;
    return { left: x, top: y, width, height: Math.min(picture.height, Math.ceil(bottom)) - y };
  };
  const { left, top, width, height } = box;
  const [dx, dy] = [width * 0.14, height * 0.14];
  const framed = within(left - dx, top - dy, left + width + dx, top + height + dy);
  if (framed.width * framed.height > picture.width * picture.height * 0.85) return [];
  if (height < width * 1.5) return [framed];
  const middle = left + width / 2;
  const half = Math.max(width / 2 + dx, height * 0.36);
  return [framed, within(middle - half, top - dy, middle + half, top + height * 0.6)];
}

async function jointsIn(picture: Picture, box: Box): Promise<Record<Joint, Sighting>> {
  const model = await poseModel();
  const { square, scale, dx, dy } = await squared(picture, box, model);
  const found = model.run(square);
  const sightings = JOINTS.map((joint, k): [Joint, Sighting] => [
    joint,
    {
      y: box.top + ((found[k * 3] ?? 0) * model.height - dy) / scale,
      x: box.left + ((found[k * 3 + 1] ?? 0) * model.width - dx) / scale,
      score: found[k * 3 + 2] ?? 0,
    },
  ]);
  // One sighting was made for each joint above.
  return Object.fromEntries(sightings) as Record<Joint, Sighting>;
}

/** The expected place of the head: a square around its joints, clipped to the picture. */
function headBoxOf(joints: Record<Joint, Sighting>, picture: Picture): Box {
  const head = JOINTS.slice(0, 5).map((joint) => joints[joint]);
  const [xs, ys] = [head.map(({ x }) => x), head.map(({ y }) => y)];
  const middle = (values: number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;
  const { leftShoulder: left, rightShoulder: right } = joints;
  const shoulders = Math.hypot(left.x - right.x, left.y - right.y);
  const half = Math.max((Math.max(...xs) - Math.min(...xs)) * 2.6, shoulders * 0.57, 20);
  return squareAround(middle(xs), middle(ys), half, picture);
}

/** The mean confidence of the three surest of nose, eyes and ears that lie on the person. */
function headScoreOf(joints: Record<Joint, Sighting>, mask: Plane, picture: Picture): number {
  const onPerson = ({ x, y }: Sighting): boolean => {
    const [u, v] = [(x * mask.width) / picture.width, (y * mask.height) / picture.height];
    return (mask.data[Math.floor(v) * mask.width + Math.floor(u)] ?? 0) > 0.3;
  };
  const scores = JOINTS.slice(0, 5)
    .map((joint) => joints[joint])
    .map((sighting) => (onPerson(sighting) ? sighting.score : 0))
    .sort((p, q) => q - p);
  return ((scores[0] ?? 0) + (scores[1] ?? 0) + (scores[2] ?? 0)) / 3;
}

/** A joint with at least this score is where the model says. */
const SURE_JOINT = 0.55;

/**
 * Joints lie inside the body, so if the mask is more than a hand's breadth away from a joint, it lacks that
 * part.
 */
function lostJoints(
  joints: Record<Joint, Sighting>,
  { data, width, height }: Plane,
  picture: Picture,
): Joint[] {
  const scale = width / picture.width;
  const reach = Math.round(Math.max(width, height) / 90);
  const isCovered = ({ x, y }: Sighting): boolean => {
    const [u, v] = [Math.floor(x * scale), Math.floor(y * scale)];
    for (let j = Math.max(0, v - reach); j <= Math.min(height - 1, v + reach); j++)
      for (let i = Math.max(0, u - reach); i <= Math.min(width - 1, u + reach); i++)
        if ((data[j * width + i] ?? 0) > 0.5) return true;
    return false;
  };
  const inside = ({ x, y }: Sighting): boolean => x >= 0 && y >= 0 && x < picture.width && y < picture.height;
  return JOINTS.filter((joint) => {
    const sighting = joints[joint];
    return sighting.score >= SURE_JOINT && inside(sighting) && !isCovered(sighting);
  });
}

/** The number of undecided pixels for each pixel of the contour. */
function doubtOf({ data, width }: Plane): number {
  let [soft, contour] = [0, 0];
  const outside = (i: number): boolean => (data[i] ?? 1) <= 0.5;
  for (let i = 0; i < data.length; i++) {
    const v = data[i] ?? 0;
    if (v > 0.1 && v < 0.9) soft++;
    if (v > 0.5 && (outside(i - 1) || outside(i + 1) || outside(i - width) || outside(i + width))) contour++;
  }
  return soft / Math.max(1, contour);
}

/** The part of a picture that looks like people, and its expected joints; `undefined` if there is none. */
async function findFigure(picture: Picture): Promise<Person | undefined> {
  const model = await segmentationModel();
  const all: Box = { left: 0, top: 0, width: picture.width, height: picture.height };
  const first = await segmented(model, picture, all);
  const main = mainRegions(first);
  if (!main) return undefined;
  const scale = Math.min(1, MASK_SIDE / Math.max(picture.width, picture.height));
  const [width, height] = [
    Math.max(1, Math.round(picture.width * scale)),
    Math.max(1, Math.round(picture.height * scale)),
  ];
  const views = nearer(widened(main.box, main.plane, picture, 0), picture);
  // Closer views see better than the first one. If there are any, the first one only shows where to look.
  const data = new Float32Array(width * height);
  let mask = views.length > 0 ? { data, width, height } : scaledPlane(main.plane, width, height);
  for (const view of views) mask = blended(mask, await segmented(model, picture, view), view, picture);
  const seen = mainRegions(mask) ?? main;
  const box = widened(seen.box, seen.plane, picture, 0);
  const joints = await jointsIn(picture, widened(seen.box, seen.plane, picture, 0.08));
  const headScore = headScoreOf(joints, seen.plane, picture);
  // The pose model mistakes a neckline for a head, but the face model does not mistake it for a face.
  const faceScore = (await faceIn(picture, headBoxOf(joints, picture)))?.score ?? 0;
  const lost = lostJoints(joints, seen.plane, picture);
  return { mask: seen.plane, box, joints, headScore, faceScore, doubt: doubtOf(seen.plane), lost };
}

/** The least scores for a face, and for a head without a visible face. Garments score at most 0.3 and 0.4. */
const [FACE, HEAD] = [0.6, 0.5];

/** The person in a picture, or several people who stand together; `undefined` if no head is seen. */
export async function findPerson(picture: Picture): Promise<Person | undefined> {
  const figure = await findFigure(picture);
  return figure && (figure.faceScore >= FACE || figure.headScore >= HEAD) ? figure : undefined;
}

/** With more doubt than this, the cut-out lacks parts of the person or includes parts of the background. */
const UNSURE = 25;

/** Whether a person can be cut out well enough to be shown elsewhere. */
export const isClear = ({ doubt, lost }: Person): boolean => doubt <= UNSURE && lost.length === 0;

/**
 * Whether the mask holds a single person. Between several people the mask often covers the background, and no
 * value shows where. Passers-by, whose faces lie outside the mask, are not cut out.
 */
export async function isAlone(
  picture: Picture,
  { mask, box }: Person,
  pause: () => Promise<void> = () => Promise.resolve(),
): Promise<boolean> {
  const onMask = (x: number, y: number): boolean => {
    const [u, v] = [
      Math.floor((x * mask.width) / picture.width),
      Math.floor((y * mask.height) / picture.height),
    ];
    return (mask.data[v * mask.width + u] ?? 0) > 0.5;
  };
  return (await facesIn(picture, box, onMask, pause)).length < 2;
}
