/** The code that Node and PostgreSQL give their errors, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}

/** What the file system and PostgreSQL say when there is no room left. */
const noRoom = new Set(['ENOSPC', 'EDQUOT', '53100']);

/** Whether a full disk is behind an error, whatever was wrapped around it. */
export function isDiskFull(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (noRoom.has(errorCode(error) ?? '')) return true;
  // Errors of ours have a cause, those of TypeORM the driver's error.
  const { cause, driverError } = error as { cause?: unknown; driverError?: unknown };
  return isDiskFull(cause ?? driverError);
}

/** An error in its own words. A refused connection is an AggregateError without any: its first error has them. */
export function messageOf(error: unknown): string {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || errorCode(cause) || cause.name;
}
