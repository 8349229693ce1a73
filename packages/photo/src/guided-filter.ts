import { boxMean, type Plane } from './raster.js';

/** Colour planes of a picture, 0–1. */
export type Guide = readonly [red: Plane, green: Plane, blue: Plane];

type Six = [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array, Float32Array];

const times = (one: Plane, other: Plane): Plane => ({
  ...one,
  data: one.data.map((v, i) => v * (other.data[i] ?? 0)),
});

/** Covariance around each pixel: the mean of the product minus the product of the means. */
function covariance(one: Plane, other: Plane, meanOne: Plane, meanOther: Plane, reach: number): Plane {
  const product = boxMean(times(one, other), reach);
  const data = product.data.map((v, i) => v - (meanOne.data[i] ?? 0) * (meanOther.data[i] ?? 0));
  return { ...product, data };
}

/** The four planes of a local linear model: mask ≈ a · colour + b. */
export type LinearModel = readonly [red: Plane, green: Plane, blue: Plane, offset: Plane];

/**
 * The guided filter with a colour guide (He, Sun and Tang, "Guided Image Filtering", ECCV 2010): around each
 * pixel, a linear function of the colours approximates the mask, so the mask's contour moves to where the
 * colours change.
 * @param reach half the side of the window, pixels
 * @param smoothness variance of colour (0–1 squared) below which a change is no contour
 */
export function guidedModel(guide: Guide, mask: Plane, reach: number, smoothness: number): LinearModel {
  const [red, green, blue] = guide;
  const mean = (plane: Plane): Plane => boxMean(plane, reach);
  const [mr, mg, mb, mp] = [mean(red), mean(green), mean(blue), mean(mask)];
  const within = (one: Plane, other: Plane, m1: Plane, m2: Plane): Plane =>
    covariance(one, other, m1, m2, reach);
  const spread = [
    within(red, red, mr, mr),
    within(red, green, mr, mg),
    within(red, blue, mr, mb),
    within(green, green, mg, mg),
    within(green, blue, mg, mb),
    within(blue, blue, mb, mb),
  ];
  const joint = [within(red, mask, mr, mp), within(green, mask, mg, mp), within(blue, mask, mb, mp)];
  const empty = (): Plane => ({ ...mask, data: new Float32Array(mask.data.length) });
  const [a0, a1, a2, b] = [empty(), empty(), empty(), empty()];
  const [srr, srg, srb, sgg, sgb, sbb] = spread.map((plane) => plane.data) as Six;
  const [jr, jg, jb] = joint.map((plane) => plane.data) as [Float32Array, Float32Array, Float32Array];
  // Cramer's rule solves a symmetric 3 × 3 system for each pixel. The smoothness, added to the diagonal, makes
  // sure that there is a solution.
  for (let i = 0; i < mask.data.length; i++) {
    const [p, q, r] = [jr[i] ?? 0, jg[i] ?? 0, jb[i] ?? 0];
    const rr = (srr[i] ?? 0) + smoothness;
    const gg = (sgg[i] ?? 0) + smoothness;
    const bb = (sbb[i] ?? 0) + smoothness;
    const [rg, rb, gb] = [srg[i] ?? 0, srb[i] ?? 0, sgb[i] ?? 0];
    const i0 = gg * bb - gb * gb;
    const i1 = rb * gb - rg * bb;
    const i2 = rg * gb - rb * gg;
    const determinant = rr * i0 + rg * i1 + rb * i2;
    const x = (i0 * p + i1 * q + i2 * r) / determinant;
    const y = (i1 * p + (rr * bb - rb * rb) * q + (rg * rb - rr * gb) * r) / determinant;
    const z = (i2 * p + (rg * rb - rr * gb) * q + (rr * gg - rg * rg) * r) / determinant;
    a0.data[i] = x;
    a1.data[i] = y;
    a2.data[i] = z;
    b.data[i] = (mp.data[i] ?? 0) - x * (mr.data[i] ?? 0) - y * (mg.data[i] ?? 0) - z * (mb.data[i] ?? 0);
  }
  return [mean(a0), mean(a1), mean(a2), mean(b)];
}
