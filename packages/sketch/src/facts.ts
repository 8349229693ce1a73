/** The meta of a picture, or a part of it. It is foreign data: each field is checked where it is read. */
export type Facts = Readonly<Record<string, unknown>>;

export const isFacts = (value: unknown): value is Facts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a value; none if it has no fields. */
export const factsIn = (value: unknown): Facts => (isFacts(value) ? value : {});
