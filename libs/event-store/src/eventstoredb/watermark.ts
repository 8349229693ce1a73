import { within } from '../calls.js';
import { isSilence } from './failures.js';

/** How old the known end of the log may be. An older one is read again before the next append. */
const freshMs = 10;
/**
 * While appends are frequent, an answer shows the end of the log as it was one round trip ago. An end that is
 * at most this many round trips old counts as fresh, but never one older than `patienceMs`.
 */
const freshRoundTrips = 2;
/**
 * How long an append waits for the end of the log before it is sent without it. When the end was never read,
 * or when an append got no answer, it waits without this limit.
 */
const patienceMs = 100;

/**
 * A position that the log had reached at a known moment. It shows whether an append was a repetition, because
 * the server answers a repetition like the first append. But the positions differ: an earlier append's events
 * lie at or below a position that the log had reached before this append was sent.
 *
 * The end of the log is read only if the answers of other calls do not show it. So `replayed: true` is always
 * right. `false` may be wrong for an event that another process appended within the last 10 ms, or within
 * twice the time of an answer. Its repetition then looks like a first append. In both cases the event is
 * appended only once.
 */
export class Watermark {
  private position = 0n;
  private asOf = -Infinity;
  private roundTripMs = 0;
  private reading: Promise<void> | undefined;
  private queued: Promise<void> | undefined;

  constructor(private readonly readTail: () => Promise<bigint | undefined>) {}

  /**
   * A position that the log has reached by now. Rejects when the log cannot be read, because an append would
   * then fail too.
   */
  async now(): Promise<bigint> {
    const fresh = Math.max(freshMs, Math.min(patienceMs, freshRoundTrips * this.roundTripMs));
    if (performance.now() - this.asOf <= fresh) return this.position;
    if (this.asOf === -Infinity) await this.refresh();
    else await this.refreshPatiently();
    return this.position;
  }

  /** Notes that the log has reached this position. At that moment, the log held no event beyond it. */
  observe(position: bigint, moment: number): void {
    if (position > this.position) this.position = position;
    this.asOf = Math.max(this.asOf, moment);
    this.roundTripMs = performance.now() - moment;
  }

  /** The log may have grown without our seeing it, perhaps by our own append. */
  doubt(): void {
    this.asOf = -Infinity;
  }

  private async refreshPatiently(): Promise<void> {
    try {
      await within(patienceMs, this.refresh());
    } catch (error) {
      if (!isSilence(error)) throw error;
    }
  }

  /** A read that already runs began too early for new callers. They share the next one. */
  private refresh(): Promise<void> {
    this.queued ??= (this.reading ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.queued = undefined;
        this.reading = this.read().finally(() => (this.reading = undefined));
        // Callers that still wait get the failure. If no caller waits any more, it must not count as
        // unhandled.
        this.reading.catch(() => undefined);
        return this.reading;
      });
    this.queued.catch(() => undefined);
    return this.queued;
  }

  private async read(): Promise<void> {
    const startedAt = performance.now();
    this.observe((await this.readTail()) ?? 0n, startedAt);
  }
}
