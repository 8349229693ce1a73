import { lerp, profile, type Point } from '../drawing/geometry.js';
import type { Cloth } from './cloth.js';

/** Positions on a drawn garment, for the trims sewn onto it. */
export interface Frame {
  readonly top: number;
  readonly waist: number;
  readonly hem: number;
  /** Half-breadth at a height. */
  readonly half: (y: number) => number;
  /** Lowest point of the neckline; above the top for garments without a neck. */
  readonly neck: readonly [half: number, depth: number];
  /** Right edge of the neckline from the middle to the shoulder. */
  readonly neckline: readonly Point[];
  readonly shoulder: Point;
  /** The right sleeve's end and direction; absent without sleeves. */
  readonly sleeve?: SleeveFrame;
  /** Outlines of body and sleeves, for trims that must not reach beyond them. */
  readonly pieces?: readonly (readonly Point[])[];
}

export interface SleeveFrame {
  readonly outer: Point;
  readonly inner: Point;
  /** Where its lower edge meets the body. */
  readonly armpit: Point;
  /** Unit vector down the sleeve. */
  readonly down: Point;
  readonly slant: number;
}

export const halfOf = (side: readonly Point[]): ((y: number) => number) => {
  const rows = side.map(([x, y]): Point => [y, x]);
  return (y) => profile(rows, y);
};

/** A line across the garment; `dip` lets its middle hang. */
export const across = (frame: Frame, y: number, dip = 1.2): Point[] =>
  [-1, -0.6, 0, 0.6, 1].map((u): Point => [u * frame.half(y), y + dip * (1 - u * u)]);

/** The band of cloth between two heights. */
export function band(frame: Frame, from: number, to: number, dip = 1.2): Point[] {
  const edge = Array.from({ length: 7 }, (_, i) => lerp(from, to, i / 6));
  return [
    ...Array.from({ length: 9 }, (_, i): Point => {
      const u = i / 4 - 1;
      return [u * frame.half(from), from + dip * (1 - u * u)];
    }),
    ...edge.slice(1, -1).map((y): Point => [frame.half(y), y]),
    ...Array.from({ length: 9 }, (_, i): Point => {
      const u = 1 - i / 4;
      return [u * frame.half(to), to + dip * (1 - u * u)];
    }),
    ...edge
      .slice(1, -1)
      .reverse()
      .map((y): Point => [-frame.half(y), y]),
  ];
}

/**
 * A band around the end of a sleeve, `height` from the edge upward. `widen` makes it broader than the sleeve.
 */
export function cuffBand(sleeve: SleeveFrame, height: number, widen = 0): Point[] {
  const { outer, inner, down } = sleeve;
  const across: Point = [outer[0] - inner[0] || 1, outer[1] - inner[1]];
  const length = Math.hypot(across[0], across[1]);
  const n: Point = [(across[0] / length) * widen, (across[1] / length) * widen];
  const up = (p: Point, sign: number): Point => [
    p[0] - down[0] * height + n[0] * sign,
    p[1] - down[1] * height + n[1] * sign,
  ];
  const at = (p: Point, sign: number): Point => [p[0] + n[0] * sign, p[1] + n[1] * sign];
  return [up(outer, 1), at(outer, 1), at(inner, -1), up(inner, -1)];
}

export type Trim = (cloth: Cloth, frame: Frame) => string;
