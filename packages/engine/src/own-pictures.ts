type Facts = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Facts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isHex = (value: unknown): boolean => typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value);

/**
 * The facts of a drawn person in a picture's meta: at its top level (a model, a preset), or under `person` (a
 * composed picture).
 */
export function personFactsIn(meta: Facts | undefined): Facts | undefined {
  if (!meta) return undefined;
  const facts = isRecord(meta['person']) ? meta['person'] : meta;
  return typeof facts['seed'] === 'number' || isHex(facts['skin_tone']) ? facts : undefined;
}

/** Checks a picture's meta for the facts that an engine needs if it only knows people that it drew itself. */
export const ownPictures = {
  /** Facts about the person on it. */
  person: (meta: Facts | undefined): boolean => personFactsIn(meta) !== undefined,
  /** Facts about its composition: the place of each person, and the place of the cloth. */
  composition: (meta: Facts | undefined): boolean =>
    isRecord(meta?.['view']) && isRecord(meta['wearer']) && isRecord(meta['silhouettes']),
} as const;

export type OwnPicture = keyof typeof ownPictures;
