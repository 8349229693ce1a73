/**
 * `Math` under short names for loops that run for every pixel: a name of a module is found at once, whereas the global object
 * has to be asked each time, which test runners that give every file a global object of its own make several times slower.
 */
export const { abs, exp, floor, hypot, log, round, sqrt } = Math;

export const least = (a: number, b: number): number => (a < b ? a : b);
export const most = (a: number, b: number): number => (a > b ? a : b);
export const within = (value: number, low: number, high: number): number =>
  value < low ? low : value > high ? high : value;
