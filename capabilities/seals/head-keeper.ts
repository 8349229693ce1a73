import type { KeptHeads } from './kept-heads.js';
import { sealDigest, type Seal } from './seal.js';
import { inTime, pause } from '#platform/retry.js';
import type { Logger } from '#platform/logger.js';

/** The time that the storage has to keep one head. */
const keptWithinMs = 5_000;

export interface HeadKeeperOptions {
  readonly heads: KeptHeads;
  /**
   * Reads and checks the newest head after another process has kept one.
   * @throws SealingRefused if the log does not hold it
   */
  readonly requireNewest: () => Promise<KeptPlace>;
  /** Each head is an object of its own, so at most one head is kept in this many milliseconds. */
  readonly everyMs: number;
  readonly logger: Logger;
}

/** The newest head, and where it is kept. */
export interface KeptPlace {
  readonly place: number;
  readonly seal: Seal | null;
}

/**
 * Keeps the newest seal outside the database while seals are made: the first one at once, and the last one at
 * the end.
 */
export class HeadKeeper {
  private newest: Seal | undefined;
  private coming = Promise.withResolvers<void>();
  private kept: KeptPlace = { place: 0, seal: null };

  constructor(private readonly options: HeadKeeperOptions) {}

  begin(kept: KeptPlace): void {
    this.kept = kept;
  }

  offer(seal: Seal): void {
    this.newest = seal;
    this.coming.resolve();
  }

  /** Runs until the signal aborts. @throws SealingRefused */
  async run(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (!signal.aborted) {
      await Promise.race([this.coming.promise, aborted]);
      this.coming = Promise.withResolvers();
      const isKept = await this.keep();
      await pause(this.options.everyMs, signal);
      if (!isKept) this.coming.resolve();
    }
    await this.keep();
  }

  /** A head names all seals before it, so a later head makes up for one that could not be kept. */
  private async keep(): Promise<boolean> {
    const { newest: seal, kept } = this;
    const { heads, requireNewest, logger } = this.options;
    if (!seal || (kept.seal && sealDigest(kept.seal) === sealDigest(seal))) return true;
    const place = kept.place + 1;
    let added: boolean;
    try {
      const add = () => heads.add(place, { format: 'atelier head 1', seal, accepted: null });
      added = await inTime(add, keptWithinMs, () => new Error(`no answer within ${keptWithinMs} ms`));
    } catch (err) {
      logger.warn(
        { err, number: seal.number },
        'the head of the seals could not be kept outside the database',
      );
      return false;
    }
    this.kept = added ? { place, seal } : await requireNewest();
    return added;
  }
}
