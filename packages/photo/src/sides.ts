import type { Guide } from './guided-filter.js';
import { boxMean, type Plane } from './raster.js';

/** The colours of both sides of a contour near each pixel, 0–1. */
export interface Sides {
  readonly person: Guide;
  readonly ground: Guide;
  /**
   * How well colours separate the two sides here, 0–1. At 1 the sides have very different colours, and each is
   * of a single colour.
   */
  readonly trust: Plane;
}

const clamp01 = (v: number): number => (v < 0 ? 0 : v > 1 ? 1 : v);
/** 0 up to `from`, 1 beyond `to`, smooth between. */
export const smoothstep = (from: number, to: number, v: number): number => {
  const t = clamp01((v - from) / (to - from));
  return t * t * (3 - 2 * t);
};

interface Spread {
  readonly colour: Guide;
  /** Variance of the colour, the sum of the three channels. */
  readonly variance: Float32Array;
}

/** Weighted means within a window. */
function weighted(colours: Guide, weight: Plane, reach: number): Spread {
  const total = boxMean(weight, reach).data;
  const mean = (plane: Plane, power: 1 | 2): Plane => {
    const data = plane.data.map((v, i) => (power === 1 ? v : v * v) * (weight.data[i] ?? 0));
    const sum = boxMean({ ...plane, data }, reach);
    return { ...sum, data: sum.data.map((v, i) => v / Math.max(1e-5, total[i] ?? 0)) };
  };
  const [red, green, blue] = colours;
  const colour: Guide = [mean(red, 1), mean(green, 1), mean(blue, 1)];
  const variance = new Float32Array(total.length);
  for (const [k, plane] of colours.entries()) {
    const squares = mean(plane, 2).data;
    const means = colour[k]?.data;
    for (let i = 0; i < variance.length; i++)
      variance[i] = (variance[i] ?? 0) + Math.max(0, (squares[i] ?? 0) - (means?.[i] ?? 0) ** 2);
  }
  return { colour, variance };
}

/**
 * Spreads the colours of one side over the other side: from near pixels if there are any, otherwise from
 * farther ones.
 */
function spreadOut(colours: Guide, weight: Plane, reach: number): Spread {
  const near = weighted(colours, weight, reach);
  const wide = weighted(colours, weight, Math.ceil(Math.max(weight.width, weight.height) / 5));
  const share = boxMean(weight, reach).data.map((v) => smoothstep(0.01, 0.12, v));
  const mixed = (one: Float32Array, other: Float32Array): Float32Array =>
    share.map((t, i) => (one[i] ?? 0) * t + (other[i] ?? 0) * (1 - t));
  const plane = (k: 0 | 1 | 2): Plane => ({
    ...weight,
    data: mixed(near.colour[k].data, wide.colour[k].data),
  });
  return { colour: [plane(0), plane(1), plane(2)], variance: mixed(near.variance, wide.variance) };
}

/** How much a side's own variance counts, compared with the distance between the two sides. */
const RESTLESS = 3;

/**
 * Estimates the colours of both sides of a contour.
 * @param certain the probability that a pixel is the person: below 0.04 it is the background, above 0.96 the
 * person
 * @param reach how far the contour may be off, pixels
 */
export function sidesOf(colours: Guide, certain: Plane, reach: number): Sides {
  const only = (test: (v: number) => boolean): Plane => ({
    ...certain,
    data: certain.data.map((v) => (test(v) ? 1 : 0)),
  });
  const window = reach * 2 + 2;
  const person = spreadOut(
    colours,
    only((v) => v > 0.96),
    window,
  );
  const ground = spreadOut(
    colours,
    only((v) => v < 0.04),
    window,
  );
  const data = certain.data.map((_, i) => {
    let apart = 0;
    for (const k of [0, 1, 2] as const)
      apart += ((person.colour[k].data[i] ?? 0) - (ground.colour[k].data[i] ?? 0)) ** 2;
    const unrest = (person.variance[i] ?? 0) + 2 * (ground.variance[i] ?? 0);
    return smoothstep(0.45, 0.9, apart / (apart + RESTLESS * unrest + 0.02));
  });
  return { person: person.colour, ground: ground.colour, trust: { ...certain, data } };
}
