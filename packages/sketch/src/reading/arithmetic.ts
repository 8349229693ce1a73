/**
 * `Math` under short names for loops that run for every pixel. A module's name is found at once; a global needs a look-up each
 * time. Test runners that give every file its own global object make that look-up several times slower.
 */
export const { abs, exp, floor, hypot, log, round, sqrt } = Math;

export const least = (a: number, b: number): number => (a < b ? a : b);
export const most = (a: number, b: number): number => (a > b ? a : b);
export const within = (value: number, low: number, high: number): number =>
  value < low ? low : value > high ? high : value;
