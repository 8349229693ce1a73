import { faceModel } from './models.js';
import { squared, type Box, type Picture } from './raster.js';

/**
 * A face that the model sees: its middle and its breadth in pixels of the picture, and how sure the model is,
 * 0–1.
 */
export interface Face {
  readonly x: number;
  readonly y: number;
  readonly breadth: number;
  readonly score: number;
}

/**
 * The centres of the places in the output of BlazeFace's short-range model, as shares of its square. There are
 * two places for each cell of a 16 × 16 grid, then six for each cell of an 8 × 8 grid.
 */
const PLACES = [
  { cells: 16, each: 2 },
  { cells: 8, each: 6 },
].flatMap(({ cells, each }) =>
  Array.from({ length: cells * cells * each }, (_, k) => {
    const cell = Math.floor(k / each);
    return [((cell % cells) + 0.5) / cells, (Math.floor(cell / cells) + 0.5) / cells] as const;
  }),
);

/**
 * The model gives 17 numbers for each place: the log-odds of a face, then the offset of its middle and its size
 * in pixels of the model, then six landmarks.
 */
const NUMBERS = 17;

/** A square around that middle, clipped to the picture. */
export function squareAround(x: number, y: number, half: number, { width, height }: Picture): Box {
  const from = (v: number): number => Math.max(0, Math.round(v - half));
  const left = from(x);
  const top = from(y);
  return {
    left,
    top,
    width: Math.min(width, Math.round(x + half)) - left,
    height: Math.min(height, Math.round(y + half)) - top,
  };
}

/** The face with the highest confidence in a part of a picture; undefined if the part is too small. */
export async function faceIn(picture: Picture, box: Box): Promise<Face | undefined> {
  if (box.width < 8 || box.height < 8) return undefined;
  const model = await faceModel();
  const { square, scale, dx, dy } = await squared(picture, box, model);
  const found = model.run(square);
  const odds = (place: number): number => found[place * NUMBERS] ?? -Infinity;
  const best = PLACES.reduce((sofar, _, place) => (odds(place) > odds(sofar) ? place : sofar), 0);
  const [u, v] = PLACES[best] ?? [0, 0];
  const number = (k: number): number => found[best * NUMBERS + k] ?? 0;
  return {
    x: box.left + (u * model.width + number(1) - dx) / scale,
    y: box.top + (v * model.height + number(2) - dy) / scale,
    breadth: number(3) / scale,
    score: 1 / (1 + Math.exp(-odds(best))),
  };
}

/** A window with at least this confidence shows a face: windows without a face have at most 0.69. */
const SEEN = 0.7;

/** Each round uses smaller windows. The smallest suit a face half as broad as the largest face found. */
const CLOSER = 0.62;
const LEAST_IN_FACES = 2.2;
const LEAST_IN_PARTS = 0.18;

/**
 * The faces in a part of a picture, each once. Windows cover the part, from large to small ones; each overlaps
 * its neighbours by half. There are ten to eighty windows, and each takes about 8 ms.
 * @param holds whether a place, in pixels, is worth looking at
 * @param pause called before each window; an error that it throws ends the search
 */
export async function facesIn(
  picture: Picture,
  part: Box,
  holds: (x: number, y: number) => boolean,
  pause: () => Promise<void>,
): Promise<Face[]> {
  const faces: Face[] = [];
  const largest = Math.max(part.width, part.height);
  const least = (): number => Math.max(LEAST_IN_PARTS * largest, LEAST_IN_FACES * (faces[0]?.breadth ?? 0));
  for (let side = largest; side >= least(); side *= CLOSER) {
    for (const [x, y] of middles(part, side / 2)) {
      const near = [0, -0.2, 0.2].flatMap((dy) =>
        [0, -0.2, 0.2].map((dx) => [x + dx * side, y + dy * side] as const),
      );
      if (!near.some(([u, v]) => holds(u, v))) continue;
      await pause();
      const face = await faceIn(picture, squareAround(x, y, side / 2, picture));
      if (!face || face.score < SEEN || !holds(face.x, face.y)) continue;
      const known = faces.some(
        (one) => Math.hypot(face.x - one.x, face.y - one.y) < Math.max(face.breadth, one.breadth),
      );
      if (!known) faces.push(face);
    }
    faces.sort((p, q) => q.breadth - p.breadth);
  }
  return faces;
}

/** Middles of windows that cover a part, a step apart. */
function middles({ left, top, width, height }: Box, step: number): (readonly [number, number])[] {
  const along = (from: number, length: number): number[] => {
    const count = Math.max(1, Math.round(length / step));
    return Array.from({ length: count }, (_, k) => from + (length * (k + 0.5)) / count);
  };
  return along(top, height).flatMap((y) => along(left, width).map((x) => [x, y] as const));
}
