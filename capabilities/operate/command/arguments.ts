import { InvalidArgumentError, Option } from 'commander';
import type { Environment } from '#domain/streams.js';

/** A parser for whole numbers within bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** A parser for text that people read: trimmed, within bounds, on one line. */
export function shortText(least: number, most: number): (text: string) => string {
  return (text) => {
    const value = text.trim();
    if (value.length >= least && value.length <= most && !/\p{Cc}/u.test(value)) return value;
    throw new InvalidArgumentError(`It must have ${least} to ${most} characters, on one line.`);
  };
}

export function ulid(text: string): string {
  if (/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a ULID: 26 characters, for example 01JABCDEFGHJKMNPQRSTVWXYZ0.');
}

/** A parser for values with commas between, each once. */
export function listOf(choices?: readonly string[]): (text: string) => string[] {
  return (text) => {
    const named = new Set(text.split(',').map((part) => part.trim()));
    for (const name of named)
      if (choices?.includes(name) === false)
        throw new InvalidArgumentError(`${JSON.stringify(name)} is unknown: use ${choices.join(', ')}.`);
    return [...named];
  };
}

const unitsMs: ReadonlyMap<string | undefined, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** A parser for lengths of time up to some days: `0`, `90s`, `15m`, `24h`, `7d`. @returns milliseconds */
export function duration(mostDays: number): (text: string) => number {
  return (text) => {
    if (text === '0') return 0;
    const [, digits, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
    const milliseconds = Number(digits) * (unitsMs.get(unit) ?? Number.NaN);
    if (milliseconds <= mostDays * 86_400_000) return milliseconds;
    throw new InvalidArgumentError(`It must be a time such as 90s, 15m, 24h or 7d, at most ${mostDays}d.`);
  };
}

export function environmentOption(description = 'data environment'): Option {
  return new Option('--env <environment>', description).choices(['live', 'test'] satisfies Environment[]);
}
