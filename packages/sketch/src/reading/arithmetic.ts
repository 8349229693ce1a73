/**
 * `Math` under short names for loops that run for every pixel. A name of a module needs no look-up, but a
 * global needs one each time. In test runners that give every file its own global object, that look-up is
 * several times slower.
 */
export const { abs, exp, floor, hypot, log, round, sqrt } = Math;

/** The middle value; sorts the values in place. */
export const median = (values: number[]): number => values.sort((p, q) => p - q)[values.length >> 1] ?? 0;

export const least = (a: number, b: number): number => (a < b ? a : b);
export const most = (a: number, b: number): number => (a > b ? a : b);
export const within = (value: number, low: number, high: number): number =>
  value < low ? low : value > high ? high : value;
