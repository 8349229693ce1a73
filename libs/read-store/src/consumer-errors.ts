import { DatabaseError } from 'pg';
import { NotThisLog } from '#event-store/event-store.js';
import { sqlState } from '#platform/postgres.js';

/** Ends a consumer for good, because its data would become wrong if it went on. A restart checks again. */
export class ConsumerHalted extends Error {
  override readonly name: string = 'ConsumerHalted';
}

/** An event of a stream never arrived: the revisions of the stream have a gap. */
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

/** Another consumer of the same name has taken over, so the commit of this one was refused. */
export class FencedOff extends Error {
  override readonly name = 'FencedOff';
}

/** SQLSTATE of a broken condition in `read_store.require`. */
const brokenRequirement = 'AT001';

/** The database checks only one condition: that the epoch is still this consumer's. */
export function asConsumerError(error: unknown): unknown {
  if (error instanceof NotThisLog) return new ConsumerHalted(error.message, { cause: error });
  return error instanceof DatabaseError && error.code === brokenRequirement
    ? new FencedOff(error.message)
    : error;
}

/**
 * Classes 22 (data exception), 23 (constraint violation) and 54 (program limit). The content causes them, so a
 * retry fails too.
 */
export function isRefusedContent(error: unknown): boolean {
  return /^(22|23|54)/.test(sqlState(error) ?? '');
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
