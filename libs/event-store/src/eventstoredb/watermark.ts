import { within } from '../calls.js';
import { isSilence } from './failures.js';

/** How old the known end of the log may be. If it is older, it is read again before the next append. */
const freshMs = 10;
/**
 * While appends are frequent, their answers tell the end as of one round trip ago. An end of up to this many round
 * trips counts as fresh, but never beyond `patienceMs`.
 */
const freshRoundTrips = 2;
/**
 * How long an append waits for the end of the log. After that it is sent all the same. It waits without this limit when
 * the end was never read, or when an append got no answer.
 */
const patienceMs = 100;

/**
 * A position that the log had reached at a known moment. The server answers a repeated append like the first one, but
 * the positions differ: events of an earlier append lie at or below a position that the log had reached before this one
 * was sent.
 *
 * The end of the log is read only if the answers of other calls do not tell it. So `replayed: true` is always right.
 * `false` may be wrong for an event that another process appended within the last 10 ms, or within twice the time of an
 * answer: its repetition then looks like a first append. No event is appended twice either way.
 */
export class Watermark {
  private position = 0n;
  private asOf = -Infinity;
  private roundTripMs = 0;
  private reading: Promise<void> | undefined;
  private queued: Promise<void> | undefined;

  constructor(private readonly readTail: () => Promise<bigint | undefined>) {}

  /** A position that the log has reached by now. Rejects when the log cannot be read: then an append would fail too. */
  async now(): Promise<bigint> {
    const fresh = Math.max(freshMs, Math.min(patienceMs, freshRoundTrips * this.roundTripMs));
    if (performance.now() - this.asOf <= fresh) return this.position;
    if (this.asOf === -Infinity) await this.refresh();
    else await this.refreshPatiently();
    return this.position;
  }

  /** The log has reached this position. No event that was in the log at the moment lies beyond it. */
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

  /** A read that is under way began too early for new callers: they share the next one. */
  private refresh(): Promise<void> {
    this.queued ??= (this.reading ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.queued = undefined;
        this.reading = this.read().finally(() => (this.reading = undefined));
        // Callers that still wait get the failure. If all have given up, it must not count as unhandled.
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
