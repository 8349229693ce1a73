import { within } from '../calls.js';
import { isSilence } from './failures.js';

/** How old the known end of the log may be. Older, and it is asked for again before the next append. */
const freshMs = 10;
/** While many append, answers tell the end as of a round trip ago: so many times that is fresh, within the patience below. */
const freshRoundTrips = 2;
/**
 * How long an append waits for that. A server that takes longer for a short read gets the append all the same, unless
 * nothing is known of the log, or an append went unanswered: then it is waited for.
 */
const patienceMs = 100;

/**
 * A place that the log had reached at a known moment. The server answers a repeated append like the first one; what
 * tells them apart is the position: an append that was made before lies at or below a place that the log had reached
 * before this one was sent.
 *
 * The end of the log is read only where the answers of other calls do not tell it. So `replayed` is certain when it is
 * true, and right for everything that happened until 10 ms before, or until twice as long before as an answer takes; the
 * repetition of what another process appended in those last milliseconds looks like a first time. Nothing is appended
 * twice either way.
 */
export class Watermark {
  private position = 0n;
  private asOf = -Infinity;
  private roundTripMs = 0;
  private reading: Promise<void> | undefined;
  private queued: Promise<void> | undefined;

  constructor(private readonly readTail: () => Promise<bigint | undefined>) {}

  /** A place that the log had reached by now. Rejects when the log cannot be read: then nothing else gets there either. */
  async now(): Promise<bigint> {
    const fresh = Math.max(freshMs, Math.min(patienceMs, freshRoundTrips * this.roundTripMs));
    if (performance.now() - this.asOf <= fresh) return this.position;
    if (this.asOf === -Infinity) await this.refresh();
    else await this.refreshPatiently();
    return this.position;
  }

  /** The log reached this position, and everything that was in it at the moment lies below. */
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

  /** A read that is under way began too early for those who come now: they share the next one. */
  private refresh(): Promise<void> {
    this.queued ??= (this.reading ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.queued = undefined;
        this.reading = this.read().finally(() => (this.reading = undefined));
        // Callers that still wait get the failure; for those that gave up it must not count as unhandled.
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
