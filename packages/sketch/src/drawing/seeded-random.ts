/**
 * A stream of repeatable random numbers. Every part of a drawing forks its own stream by name, so that a
 * change to the hair does not move the hands.
 */
export class SeededRandom {
  private state: number;

  constructor(private readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** A new stream that depends on this stream's seed and the label only, not on what was drawn before. */
  fork(label: string): SeededRandom {
    let hash = 0x811c9dc5 ^ this.seed;
    for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193);
    return new SeededRandom(Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d));
  }

  /** Mulberry32: a uniform number in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** Around zero, mostly small: the mean of three uniforms, scaled to ±`spread`. */
  wobble(spread: number): number {
    return ((this.next() + this.next() + this.next()) / 1.5 - 1) * spread;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[Math.floor(this.next() * choices.length)];
    if (chosen === undefined) throw new RangeError('pick needs at least one choice');
    return chosen;
  }
}
