/** The code that Node and PostgreSQL give their errors, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}

/** The codes of the file system and PostgreSQL for a full disk. */
const noRoom = new Set(['ENOSPC', 'EDQUOT', '53100']);

/** Whether a full disk is among the causes of an error, at any depth. */
export function isDiskFull(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (noRoom.has(errorCode(error) ?? '')) return true;
  // Our errors have a cause; TypeORM's errors have the driver's error.
  const { cause, driverError } = error as { cause?: unknown; driverError?: unknown };
  return isDiskFull(cause ?? driverError);
}

/**
 * The message of an error. A refused connection is an AggregateError without a message, so its first error's
 * message is used.
 */
export function messageOf(error: unknown): string {
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || errorCode(cause) || cause.name;
}
