import { least, most } from './arithmetic.js';

/**
 * A small picture with a hole. `rgb` has three channels a pixel, 0–255; `missing` is 1 for each missing pixel.
 */
export interface Torn {
  readonly rgb: Float32Array;
  readonly missing: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Patches are five pixels square. */
const REACH = 2;
const COARSEST_SIDE = 24;
const ROUNDS = 4;
/**
 * The cost of taking a patch from another height, in squared 8-bit steps a pixel. It keeps floors and walls in
 * their rows.
 */
const OFF_ROW = 24;

/**
 * The best source of each pixel of a level, as an index into the same level; −1 if no missing pixel is near.
 */
type Field = Int32Array;

/** A linear congruence: the same draws in every run. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % below;
  };
}

/** Halves the size. A pixel is missing if any of its four pixels is, so that no colour of the hole spreads. */
function halved({ rgb, missing, width, height }: Torn): Torn {
  const [w, h] = [width >> 1, height >> 1];
  const out: Torn = { rgb: new Float32Array(w * h * 3), missing: new Uint8Array(w * h), width: w, height: h };
  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++) {
      const from = 2 * y * width + 2 * x;
      for (const i of [from, from + 1, from + width, from + width + 1]) {
        if (missing[i]) out.missing[y * w + x] = 1;
        for (let c = 0; c < 3; c++) {
          const to = (y * w + x) * 3 + c;
          out.rgb[to] = (out.rgb[to] ?? 0) + (rgb[i * 3 + c] ?? 0) / 4;
        }
      }
    }
  return out;
}

/**
 * `targets` are pixels whose patch touches the hole. `sources` are pixels whose patch is complete and inside
 * the picture.
 */
function places({ missing, width, height }: Torn): { targets: number[]; sources: Uint8Array; all: number[] } {
  const sources = new Uint8Array(missing.length);
  const [targets, all]: [number[], number[]] = [[], []];
  for (let y = REACH; y < height - REACH; y++)
    for (let x = REACH; x < width - REACH; x++) {
      const i = y * width + x;
      let touched = 0;
      for (let dy = -REACH; dy <= REACH; dy++)
        for (let dx = -REACH; dx <= REACH; dx++) touched |= missing[i + dy * width + dx] ?? 0;
      if (touched) targets.push(i);
      else {
        sources[i] = 1;
        all.push(i);
      }
    }
  return { targets, sources, all };
}

/** Squared difference of two patches; stops when it passes `limit`. */
function unlike({ rgb, width }: Torn, p: number, q: number, limit: number): number {
  const rows = ((p / width) | 0) - ((q / width) | 0);
  let sum = OFF_ROW * rows * rows;
  for (let dy = -REACH; dy <= REACH && sum < limit; dy++) {
    const [a, b] = [(p + dy * width - REACH) * 3, (q + dy * width - REACH) * 3];
    for (let k = 0; k < (2 * REACH + 1) * 3; k++) {
      const d = (rgb[a + k] ?? 0) - (rgb[b + k] ?? 0);
      sum += d * d;
    }
  }
  return sum;
}

/**
 * One round of PatchMatch (Barnes et al. 2009): neighbours pass on their matches, then random places are tried,
 * each nearer than the last.
 */
function search(
  torn: Torn,
  field: Field,
  { targets, sources }: { targets: readonly number[]; sources: Uint8Array },
  forward: boolean,
  draw: (below: number) => number,
): void {
  const { width, height } = torn;
  const step = forward ? -1 : 1;
  for (let k = 0; k < targets.length; k++) {
    const i = targets[forward ? k : targets.length - 1 - k] ?? 0;
    let found = field[i] ?? 0;
    let cost = unlike(torn, i, found, Infinity);
    const attempt = (from: number): void => {
      if (from === found || !sources[from]) return;
      const other = unlike(torn, i, from, cost);
      if (other < cost) [found, cost] = [from, other];
    };
    for (const beside of [step, step * width]) {
      const near = field[i + beside] ?? -1;
      if (near >= 0) attempt(near - beside);
    }
    for (let radius = most(width, height); radius >= 1; radius >>= 1) {
      const x = (found % width) + draw(2 * radius + 1) - radius;
      const y = ((found / width) | 0) + draw(2 * radius + 1) - radius;
      if (x >= REACH && y >= REACH && x < width - REACH && y < height - REACH) attempt(y * width + x);
    }
    field[i] = found;
  }
}

/** Every missing pixel becomes the mean of the patches over it. */
function vote({ rgb, missing, width }: Torn, field: Field, targets: readonly number[]): void {
  const sums = new Float32Array(rgb.length);
  const counts = new Float32Array(missing.length);
  for (const i of targets) {
    const from = field[i] ?? 0;
    for (let dy = -REACH; dy <= REACH; dy++)
      for (let dx = -REACH; dx <= REACH; dx++) {
        const [to, source] = [i + dy * width + dx, from + dy * width + dx];
        if (!missing[to]) continue;
        const weight = dx === 0 && dy === 0 ? 4 : 1;
        counts[to] = (counts[to] ?? 0) + weight;
        for (let c = 0; c < 3; c++)
          sums[to * 3 + c] = (sums[to * 3 + c] ?? 0) + (rgb[source * 3 + c] ?? 0) * weight;
      }
  }
  for (let i = 0; i < missing.length; i++)
    if (counts[i]) for (let c = 0; c < 3; c++) rgb[i * 3 + c] = (sums[i * 3 + c] ?? 0) / (counts[i] ?? 1);
}

/**
 * The coarser level's matches at twice the size. If a match is invalid there, any place on the same rows is
 * taken.
 */
function refined(coarse: Field, from: Torn, to: Torn, sources: Uint8Array, all: readonly number[]): Field {
  const field: Field = new Int32Array(to.missing.length).fill(-1);
  for (let y = 0; y < to.height; y++)
    for (let x = 0; x < to.width; x++) {
      const at = least(from.height - 1, y >> 1) * from.width + least(from.width - 1, x >> 1);
      const found = coarse[at] ?? -1;
      const source =
        (((found / from.width) | 0) * 2 + (y & 1)) * to.width + (found % from.width) * 2 + (x & 1);
      const i = y * to.width + x;
      field[i] = found >= 0 && sources[source] ? source : (all[(i * 7919) % all.length] ?? -1);
    }
  return field;
}

/**
 * Fills a hole from the rest of the picture, patch by patch and from coarse to fine, so that windows, boards
 * and foliage continue behind it (Wexler et al., "Space-Time Completion of Video", PAMI 2007). It replaces the
 * hole's colours.
 * @returns for each pixel, the pixel to copy, or −1 for itself; undefined if too little is left to copy from
 */
export function patchFill(torn: Torn): Int32Array | undefined {
  const levels = [torn];
  for (let top = torn; least(top.width, top.height) >= COARSEST_SIDE * 2;)
    levels.unshift((top = halved(top)));
  const draw = dice(20261);
  let field: Field | undefined;
  let before: Torn | undefined;
  for (const level of levels) {
    const where = places(level);
    if (where.all.length < level.missing.length * 0.08) {
      if (level === torn) return undefined;
      continue;
    }
    if (field && before) {
      field = refined(field, before, level, where.sources, where.all);
      vote(level, field, where.targets);
    } else {
      const { all } = where;
      field = new Int32Array(level.missing.length).fill(-1);
      for (const i of where.targets) field[i] = all[draw(all.length)] ?? 0;
    }
    for (let k = 0; k < ROUNDS; k++) {
      search(level, field, where, k % 2 === 0, draw);
      vote(level, field, where.targets);
    }
    before = level;
  }
  return field && copied(torn, field);
}

function copied({ missing, width, height }: Torn, field: Field): Int32Array {
  return field.map((_, i) => {
    if (!missing[i]) return -1;
    // The rim of the picture has no patches, so it follows the nearest row and column that has them.
    const x = most(REACH, least(width - 1 - REACH, i % width));
    const y = most(REACH, least(height - 1 - REACH, (i / width) | 0));
    const beside = y * width + x;
    return (field[beside] ?? beside) + i - beside;
  });
}
