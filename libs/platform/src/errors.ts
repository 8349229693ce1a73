/** The code that Node and PostgreSQL give their errors, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}

/** An error in its own words. A refused connection is an AggregateError without any: its first error has them. */
export function messageOf(error: unknown): string {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || errorCode(cause) || cause.name;
}
