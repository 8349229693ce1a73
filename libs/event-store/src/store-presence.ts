import { correlation, type StoreTime } from '#platform/correlation.js';
import { isDiskFull } from '#platform/errors.js';
import { retryUntilAborted } from '#platform/retry.js';
import { NoAnswer, within } from './calls.js';
import {
  AppendOutcomeUnknown,
  EventStoreRefused,
  EventStoreUnavailable,
  StreamContended,
  storeWith,
  type EventStore,
} from './event-store.js';

export interface PresenceOptions {
  /**
   * How long a read waits if the request can also be answered without the store. Default 2,000 ms: longer than
   * a working store needs.
   */
  readonly patienceMs?: number;
  /** Between two looks whether the store is back. Default 500 ms. */
  readonly lookEveryMs?: number;
  readonly onChange?: (isAway: boolean) => void;
}

/**
 * Whether the event store answers, as far as this process knows:
 *
 * - `present` at first, and as soon as a probe gets an answer again.
 * - `late` while a read goes on that its caller no longer waits for. Reads that can do without the store then
 *   skip it.
 * - `away` once a call has given up, if no other call got an answer since that call began. Every call then
 *   fails at once, until a probe gets an answer.
 *
 * A library for circuit breakers opens by the share of failures. Here each failure comes after ten seconds of
 * retries, and by then many calls wait that have not failed yet. So a single call without an answer must be
 * enough.
 */
export class StorePresence {
  private answeredAt = -Infinity;
  private lateReads = 0;
  private looking: Promise<unknown> | undefined;
  private readonly closing = new AbortController();

  constructor(
    private readonly look: () => Promise<unknown>,
    private readonly options: PresenceOptions = {},
  ) {}

  get isAway(): boolean {
    return this.looking !== undefined;
  }

  /** The store has answered a call of this process before, so remembered values may be used. */
  get wasThere(): boolean {
    return this.answeredAt > -Infinity;
  }

  close(): void {
    this.closing.abort();
  }

  /** @throws EventStoreUnavailable while it is away */
  require(): void {
    if (this.isAway)
      throw new EventStoreUnavailable('The event store does not answer; this process keeps trying it');
  }

  /** Calls the store. @throws EventStoreUnavailable at once while it is away */
  async call<T>(work: () => Promise<T>): Promise<T> {
    this.require();
    const begunAt = performance.now();
    try {
      const answer = await work();
      this.answeredAt = performance.now();
      return answer;
    } catch (error) {
      if (!isAbsence(error)) this.answeredAt = performance.now();
      else if (this.answeredAt < begunAt) this.lookUntilBack();
      throw error;
    }
  }

  /**
   * The result of a read, or undefined if the store does not answer soon. The caller then answers the request
   * without the store, and its answer says so.
   */
  async soon<T>(read: () => Promise<T>): Promise<{ readonly value: T } | undefined> {
    if (!this.isAway && this.lateReads === 0) {
      const reading = read();
      try {
        return { value: await within(this.options.patienceMs ?? 2_000, reading) };
      } catch (error) {
        if (error instanceof NoAnswer) {
          // The read goes on. Its end shows whether the store is there.
          this.lateReads += 1;
          const end = () => void (this.lateReads -= 1);
          reading.then(end, end);
        } else if (!isAbsence(error)) throw error;
      }
    }
    const { storeTime } = correlation();
    if (storeTime) storeTime.didWithout = true;
    return undefined;
  }

  private lookUntilBack(): void {
    const { lookEveryMs = 500, onChange } = this.options;
    if (this.looking || this.closing.signal.aborted) return;
    onChange?.(true);
    this.looking = retryUntilAborted(() => this.look(), {
      signal: this.closing.signal,
      firstPauseMs: lookEveryMs,
      longestPauseMs: lookEveryMs,
    }).finally(() => {
      this.looking = undefined;
      onChange?.(false);
    });
  }
}

/** No answer came, or none that says anything about the call. */
function isAbsence(error: unknown): boolean {
  if (error instanceof EventStoreRefused || error instanceof StreamContended) return false;
  // A store without room has said so.
  if (isDiskFull(error)) return false;
  return error instanceof EventStoreUnavailable || error instanceof AppendOutcomeUnknown;
}

/**
 * The same store, but its calls fail at once while it is away. A request waits for its calls only as long as
 * its patience lasts.
 */
export function withPresence(store: EventStore, presence: StorePresence): EventStore {
  const read = <T>(work: () => Promise<T>) => inStoreTime(() => presence.call(work), 'read');
  const write = <T>(work: () => Promise<T>) => inStoreTime(() => presence.call(work), 'write');
  return storeWith(store, {
    append: (...given) => write(() => store.append(...given)),
    appendTogether: (writes) => write(() => store.appendTogether!(writes)),
    readStream: (...given) => read(() => store.readStream(...given)),
    readAll: (...given) => read(() => store.readAll(...given)),
    head: () => read(() => store.head()),
    lastEvent: (through) => read(() => store.lastEvent(through)),
  });
}

/**
 * Calls that are faster than this do not count: a request that follows a job for an hour makes thousands of
 * them.
 */
const slowMs = 500;

/**
 * Waits for work of the event store, for as long as the request may still wait. Each call of the store has its
 * own limit, so the first slow call needs no timer. Outside a request only that limit applies.
 * @throws EventStoreUnavailable, or AppendOutcomeUnknown for a write, when the request's patience is over
 */
export async function inStoreTime<T>(work: () => Promise<T>, kind: 'read' | 'write'): Promise<T> {
  const { storeTime } = correlation();
  if (!storeTime) return work();
  const before = storeTime.waitedMs;
  const begunAt = performance.now();
  try {
    return await (before === 0 ? work() : within(Math.max(1, storeTime.patienceMs - before), work()));
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    const waited = `The request has waited ${storeTime.patienceMs} ms for the event store`;
    throw kind === 'read' ? new EventStoreUnavailable(waited) : new AppendOutcomeUnknown(waited);
  } finally {
    const took = performance.now() - begunAt;
    // Calls that are made side by side count once.
    if (took > slowMs) storeTime.waitedMs = Math.max(storeTime.waitedMs, before + took);
  }
}

/** The store time of a request at its start. */
export const newStoreTime = (patienceMs: number): StoreTime => ({
  patienceMs,
  waitedMs: 0,
  didWithout: false,
});
