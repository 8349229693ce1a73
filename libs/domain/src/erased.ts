/** Stands where a personal text was whose key has been destroyed. */
export const erasedText = '[erased]';

/** The value of the same kind that stands where a personal value was. No field changes its type when it is erased. */
export function erasedValueFor(value: unknown): unknown {
  if (typeof value === 'string') return erasedText;
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : null;
}
