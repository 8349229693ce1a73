/*
 * How the generators coin names: the same seed gives the same name, and a name never says more than the caller did.
 */

export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** `washed linen` → `Washed Linen`; undefined for a text that is too long for a part of a name. */
export function titled(value: string | undefined, longest: number): string | undefined {
  if (!isText(value) || value.length > longest) return undefined;
  const words = value.trim().replaceAll('_', ' ').split(/\s+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

/** Neighbouring seeds must not give neighbouring names: the finaliser of MurmurHash3 spreads them. */
export function pick(words: readonly string[], seed: number, salt: number): string {
  let hash = Math.imul(seed ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash = (hash ^ (hash >>> 16)) >>> 0;
  return words[hash % words.length] ?? '';
}
