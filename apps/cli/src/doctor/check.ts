export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What was found, or what is wrong. */
  readonly detail: string;
  /** What to do about it, when it is not ok. */
  readonly advice: string | null;
}

/** How long one answer may take before it counts as none. */
export const answerWithinMs = 3_000;

/** Makes one check, which says what it found or throws what is wrong. */
export async function check(name: string, advice: string, look: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, detail: await look(), advice: null };
  } catch (error) {
    return { name, ok: false, detail: messageOf(error), advice };
  }
}

/** A refused connection is an AggregateError without a message, and a table that is missing has not been migrated. */
function messageOf(error: unknown): string {
  const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  const hint = code === '42P01' || code === '3F000' ? ' (run "atelier migrate" first)' : '';
  return `${cause.message || code}${hint}`;
}
