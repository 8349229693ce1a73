/** Ends a consumer for good: going on would make its data wrong. Restarting it looks again. */
export class ConsumerHalted extends Error {
  override readonly name: string = 'ConsumerHalted';
}

/** An event of a stream never arrived: between what was seen and what came next there is a hole. */
export class SkippedEvent extends ConsumerHalted {
  override readonly name = 'SkippedEvent';

  constructor(
    readonly stream: string,
    /** The revision that had to come next. */
    readonly expected: bigint,
    readonly actual: bigint,
  ) {
    super(
      `${stream}: revision ${actual} was delivered where ${expected} had to come next; refusing to skip events`,
    );
  }
}

/** Another consumer of the same name has taken over, and what this one wanted to commit was refused. */
export class FencedOff extends Error {
  override readonly name = 'FencedOff';
}

/** SQLSTATE of a broken condition in `read_store.require`. */
const brokenRequirement = 'AT001';

export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as Error & { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The only condition that is required in the database is that the epoch still is ours. */
export function asConsumerError(error: unknown): unknown {
  return sqlState(error) === brokenRequirement ? new FencedOff((error as Error).message) : error;
}

/** Classes 22 (data exception), 23 (constraint violation) and 54 (program limit): the content's fault, each time again. */
export function isRefusedContent(error: unknown): boolean {
  return /^(22|23|54)/.test(sqlState(error) ?? '');
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
