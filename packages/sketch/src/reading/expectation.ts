import { abs, exp, least, most, within } from './arithmetic.js';
import { lerp } from '../drawing/geometry.js';
import type { Head } from './head.js';

/** What is expected of a subject's place before its colours are looked at. */
export interface Expectation {
  /** Log-odds of being inside. */
  readonly place: Float32Array;
  /** How far what stands out there may teach the subject's colours, 0–1: a window at the side stands out too. */
  readonly near: Float32Array;
}

const fill = (width: number, height: number, at: (x: number, y: number) => number): Float32Array => {
  const out = new Float32Array(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) out[y * width + x] = at(x, y);
  return out;
};

/**
 * Nothing is known yet: subjects stand near the middle, rarely at the sides or the upper rim, and heads are narrower than
 * what is below them.
 * @param centre where along the width the subject seems to be, 0–1
 */
export function expectMiddle(width: number, height: number, centre: number): Expectation {
  const place = fill(width, height, (x, y) => {
    const v = y / height;
    const across = x / width - centre;
    const side = least(x, width - 1 - x) / width;
    const down = most(0, (0.1 - v) / 0.1);
    return 1.1 - (36 - 24 * v) * across * across - 1.5 * down - (side < 0.03 ? 1.4 : 0);
  });
  const near = fill(width, height, (x, y) => {
    const reach = 0.13 + (0.17 * y) / height;
    return exp(-(((x / width - centre) / reach) ** 2));
  });
  return { place, near };
}

/** Half-breadths in head units at heights below the crown: surely inside, even odds, surely outside. */
const BODY: readonly (readonly [at: number, inside: number, even: number, outside: number])[] = [
  [-0.5, 0, 0, 0.8],
  [0, 0.2, 0.6, 1],
  [0.6, 0.36, 0.85, 1.25],
  [1, 0.3, 0.85, 1.3],
  [1.3, 0.28, 0.72, 1.4],
  [1.8, 0.55, 1.25, 2],
  [3.2, 0.45, 1.3, 2.15],
  [4.1, 0.42, 1.3, 2.1],
  [4.7, 0.1, 1.2, 2],
  [7, 0, 1.1, 1.9],
  [8.6, 0, 1, 1.8],
  [9.6, 0, 0.7, 1.6],
];

function breadths(v: number): readonly [number, number, number] {
  const next = BODY.findIndex((row) => row[0] >= v);
  const last = BODY[BODY.length - 1];
  const [a, b] = next <= 0 ? [BODY[next < 0 ? BODY.length - 1 : 0], undefined] : [BODY[next - 1], BODY[next]];
  if (!a || !last) throw new RangeError('the table of breadths is empty');
  if (!b) return [a[1], a[2], a[3]];
  const t = (v - a[0]) / (b[0] - a[0]);
  return [lerp(a[1], b[1], t), lerp(a[2], b[2], t), lerp(a[3], b[3], t)];
}

/** A head was found: a body hangs from it. Heights come from its chin, because hair may tower. */
export function expectBody(width: number, height: number, head: Head): Expectation {
  const { unit, x: middle } = head;
  const crown = head.chin - unit;
  const top = Math.min(head.crown, crown) - unit * 0.1;
  const place = fill(width, height, (x, y) => {
    if (y < top) return -3;
    const u = abs(x - middle) / unit;
    const v = (y - crown) / unit;
    // Towering hair is broad at its top.
    const [inside, even, outside] = v < 0.5 && top < crown ? [0.2, 0.9, 1.25] : breadths(v);
    if (u < inside) return v > 1.4 && v < 3.5 ? 3.6 : 2.4;
    // Between legs and beside hips the ground looks through as often as not.
    const sure = v < 3.4 ? 1.5 : 0.4;
    if (u < even) return lerp(sure, 0, (u - inside) / most(0.01, even - inside));
    return -3.4 * within((u - even) / (outside - even), 0, 1);
  });
  const near = fill(width, height, (x, y) => {
    const [, even] = breadths((y - crown) / unit);
    return exp(-(((x - middle) / (unit * most(0.5, even) * 0.9)) ** 4));
  });
  return { place, near };
}
