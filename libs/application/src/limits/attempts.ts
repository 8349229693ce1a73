import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '#platform/cache-size.js';
import { verdictOf, windowOf, type RequestWindow } from './rate-limit-store.js';

export interface LookedUp<Found> {
  readonly found: Found | undefined;
  /** Above 0: the address has failed too often. */
  readonly retryAfterSeconds: number;
  /** The credential was not looked up, because too many others are waiting. */
  readonly tooManyWait?: true;
}

/**
 * The most look-ups that may wait for addresses with too many failures. Each holds its request, so they need a
 * bound.
 */
const mostWaiting = { ofOneAddress: 500, ofAll: 2_000 };

/**
 * Bounds how often an address may fail to authenticate. It only has to make guessing slow, so it counts in
 * memory, not exactly, and forgets addresses when there are too many. An attempt counts before its result is
 * known, so that parallel attempts do not slip through; a successful one is given back.
 */
export class Attempts {
  private readonly windows: LRUCache<string, RequestWindow>;
  /** Settles with the last queued look-up for an address that has failed too often. */
  private lane: Promise<unknown> = Promise.resolve();
  /** The number of look-ups in the lane, by address. */
  private readonly waiting = new Map<string, number>();
  private waitingOfAll = 0;

  constructor(
    private readonly perMinute: number,
    addresses = 10_000,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.windows = new LRUCache(entriesUpTo(addresses));
  }

  /** Counts an attempt. @returns seconds until the address may try again; 0: this attempt may go ahead */
  take(address: string): number {
    const counted = windowOf(this.windows, sourceOf(address)).count(this.perMinute, this.nowMs());
    return verdictOf(counted, this.perMinute).retryAfterSeconds;
  }

  giveBack(address: string): void {
    this.windows.get(sourceOf(address))?.takeBack();
  }

  /**
   * Looks up a credential for an address. An address that has failed too often still gets a look-up, because
   * guesses must not lock out a good credential. Such look-ups take turns, so they never use more than one read
   * of the store at a time. If too many of them wait already, the credential is refused without a look-up.
   * @param couldBeGood whether the credential is well-formed: others are not looked up for such an address
   */
  async lookUp<Found>(
    address: string,
    couldBeGood: boolean,
    look: () => Promise<Found | undefined>,
  ): Promise<LookedUp<Found>> {
    // Counted before the result is known, so that parallel attempts do not slip through.
    const retryAfterSeconds = this.take(address);
    if (retryAfterSeconds === 0) {
      const found = await look();
      if (found !== undefined) this.giveBack(address);
      return { found, retryAfterSeconds };
    }
    if (!couldBeGood) return { found: undefined, retryAfterSeconds };
    const source = sourceOf(address);
    const isFull =
      this.waitingOfAll >= mostWaiting.ofAll || (this.waiting.get(source) ?? 0) >= mostWaiting.ofOneAddress;
    if (isFull) return { found: undefined, retryAfterSeconds: 1, tooManyWait: true };
    return { found: await this.inTurn(source, look), retryAfterSeconds };
  }

  private async inTurn<Found>(source: string, look: () => Promise<Found>): Promise<Found> {
    this.wait(source, 1);
    const turn = this.lane.then(look);
    this.lane = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.wait(source, -1);
    }
  }

  private wait(source: string, change: 1 | -1): void {
    const count = (this.waiting.get(source) ?? 0) + change;
    if (count > 0) this.waiting.set(source, count);
    else this.waiting.delete(source);
    this.waitingOfAll += change;
  }
}

/** A customer of an IPv6 provider has a network of 64 bits, and therefore 2^64 addresses to use. */
function sourceOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
