import type { FieldProblem } from '#validation/validate.js';

/** Deeper than any body of this interface nests. */
export const deepestJson = 32;

/** Names that every object has already: once an object is copied or merged they mean something else than data. */
const forbiddenKeys = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype']);

/**
 * The first thing in parsed JSON that must not get any further, or undefined: names that reach for prototypes,
 * nesting beyond {@link deepestJson}, and text that a database cannot hold (NUL, half a surrogate pair).
 */
export function findUnsafeJson(value: unknown, depth = 0): FieldProblem | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : unstorable;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : infinite;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === deepestJson) {
    return { loc: [], msg: `nests deeper than ${deepestJson} levels`, type: 'too_deep' };
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const found = findUnsafeJson(value[index], depth + 1);
      if (found) return { ...found, loc: [index, ...found.loc] };
    }
    return undefined;
  }
  for (const [key, member] of Object.entries(value)) {
    const found = problemOfKey(key) ?? findUnsafeJson(member, depth + 1);
    if (found) return { ...found, loc: [isStorable(key) ? key : '?', ...found.loc] };
  }
  return undefined;
}

const unstorable: FieldProblem = { loc: [], msg: 'contains a character that is not text', type: 'string' };
const infinite: FieldProblem = { loc: [], msg: 'is a number too large to keep', type: 'number' };

function problemOfKey(key: string): FieldProblem | undefined {
  if (forbiddenKeys.has(key)) return { loc: [], msg: 'is not allowed as a name', type: 'extra_forbidden' };
  return isStorable(key) ? undefined : unstorable;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
