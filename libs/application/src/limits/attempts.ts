import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '#platform/cache-size.js';
import { verdictOf, windowOf, type RequestWindow } from './rate-limit-store.js';

export interface LookedUp<Found> {
  readonly found: Found | undefined;
  /** Beyond 0: the address has failed too often. */
  readonly retryAfterSeconds: number;
}

/**
 * Bounds how often an address may fail to authenticate: in memory only, and forgetful under pressure, because it is
 * there to make guessing slow and not to be exact. An attempt is counted before it is known to fail, so that many at
 * the same time do not slip through; one that succeeds is given back.
 */
export class Attempts {
  private readonly windows: LRUCache<string, RequestWindow>;
  /** Ends with the last look-up for an address that has failed too often. */
  private lane: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly perMinute: number,
    addresses = 10_000,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.windows = new LRUCache(entriesUpTo(addresses));
  }

  /** Counts an attempt. @returns in how many seconds the address may try again; 0: this one may be made */
  take(address: string): number {
    const counted = windowOf(this.windows, sourceOf(address)).count(this.perMinute, this.nowMs());
    return verdictOf(counted, this.perMinute).retryAfterSeconds;
  }

  giveBack(address: string): void {
    this.windows.get(sourceOf(address))?.takeBack();
  }

  /**
   * Looks a credential up for an address. One that has failed too often is still looked up, for guesses must lock no good
   * one out; but such look-ups take turns, and take no more than one read of the store at a time from everyone else.
   * @param couldBeGood whether the credential is well-formed: others are not looked up for such an address
   */
  async lookUp<Found>(
    address: string,
    couldBeGood: boolean,
    look: () => Promise<Found | undefined>,
  ): Promise<LookedUp<Found>> {
    // Counted before it is known to fail, so that many at the same time do not slip through.
    const retryAfterSeconds = this.take(address);
    if (retryAfterSeconds > 0 && !couldBeGood) return { found: undefined, retryAfterSeconds };
    const found = await (retryAfterSeconds > 0 ? this.inTurn(look) : look());
    if (found !== undefined && retryAfterSeconds === 0) this.giveBack(address);
    return { found, retryAfterSeconds };
  }

  private inTurn<Found>(look: () => Promise<Found>): Promise<Found> {
    const turn = this.lane.then(look);
    this.lane = turn.catch(() => undefined);
    return turn;
  }
}

/** A customer of an IPv6 provider has a network of 64 bits, and so 2^64 addresses to come from. */
function sourceOf(address: string): string {
  const [plain = ''] = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head.split(':').filter(Boolean);
  const behind = tail?.split(':').filter(Boolean) ?? [];
  const zeros = tail === undefined ? 0 : 8 - groups.length - behind.length;
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...behind];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
