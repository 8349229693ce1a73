/**
 * Numbers that look random and follow from the seed alone (mulberry32: 32 bits of state, full period). Every
 * chance of a simulation is drawn here, so a seed determines a whole run.
 * @returns a function that draws a whole number from 0 to `bound` - 1
 */
export function randomFrom(seed: number): (bound: number) => number {
  let state = seed | 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}
