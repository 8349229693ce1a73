/**
 * Faults of one client call on its way to the store and back. Each is set once, for the next call that it fits.
 * A call without a fault only waits for its turns.
 *
 * - `unavailable`: the call fails, and nothing is written.
 * - `answer-lost`: it is carried out; the answer never comes; the client tries again by itself, with the same
 *   ids.
 * - `unknown-committed`, `unknown-uncommitted`: the client gives up without an answer. The events were written,
 *   or were not.
 * - `unknown-late`: the client gives up without an answer, and only then the store carries it out.
 * - `slow`: the call arrives late. `slow-answer`: it is carried out at once and answered late.
 * - `read-unavailable`: a read fails.
 */
export const networkFaults = [
  'unavailable',
  'answer-lost',
  'unknown-committed',
  'unknown-uncommitted',
  'unknown-late',
  'slow',
  'slow-answer',
  'read-unavailable',
] as const;

type NetworkFault = (typeof networkFaults)[number];

/** The network between some clients and the store, with its faults. */
export class Network {
  private connection = new AbortController();
  refusing = false;
  private heldBack: AbortController | undefined;
  private readonly faults: NetworkFault[] = [];

  /** Aborts when answers come through again; undefined: they do. */
  get held(): AbortSignal | undefined {
    return this.heldBack?.signal;
  }

  /** Aborts when the current connection breaks: it loses every message on its way. */
  get broken(): AbortSignal {
    return this.connection.signal;
  }

  holdAnswers(): void {
    this.heldBack ??= new AbortController();
  }

  cut(): void {
    this.connection.abort();
    this.connection = new AbortController();
  }

  refuse(): void {
    this.refusing = true;
    this.cut();
  }

  restore(): void {
    this.refusing = false;
    this.heldBack?.abort();
    this.heldBack = undefined;
  }

  arm(fault: NetworkFault): void {
    this.faults.push(fault);
  }

  /** The fault for the next append, or for the next read. */
  take(call: 'append' | 'read'): NetworkFault | undefined {
    const index = this.faults.findIndex((fault) => (fault === 'read-unavailable') === (call === 'read'));
    return index < 0 ? undefined : this.faults.splice(index, 1)[0];
  }

  disarm(): void {
    this.faults.length = 0;
  }
}
