import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { OwnMetrics } from '#adapters/platform.module.js';
import type { LogWatcher } from '#application/process-managers/process-manager.js';
import { EventStore } from '#event-store/event-store.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import type { Metrics } from '#platform/metrics.js';
import { retryUntilAborted } from '#platform/retry.js';
import { ConsumerHalted } from '#read-store/consumer-errors.js';
import { ObjectStorage } from '#storage/object-storage.js';
import { HeadKeeper, type KeptPlace } from './head-keeper.js';
import { KeptHeads, newestHead, requireHead } from './kept-heads.js';
import { sealAlone, type StoredSeal } from './seal.js';
import type { SealKey } from './seal.key.js';
import { countSealed } from './seal-metrics.js';
import { sealLog, SealingRefused, type SealerOptions } from './sealer.js';

const keptEveryMs = 5_000;

/**
 * Seals the log in this process while no other process does, and keeps the newest seal in the places that the
 * configuration names.
 */
@Injectable()
export class Sealing implements LogWatcher {
  private readonly count: (events: number) => void;

  constructor(
    private readonly store: EventStore,
    private readonly commands: CommandBus,
    private readonly storage: ObjectStorage,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Logger) private readonly logger: Logger,
    @Inject(OwnMetrics) metrics: Metrics | undefined,
  ) {
    this.count = metrics ? countSealed(metrics.registry) : () => undefined;
  }

  /** Without a key nothing is sealed. A warning says so once, because history can then be altered unseen. */
  watch(): ((signal: AbortSignal) => Promise<void>) | undefined {
    const { key } = this.configuration.sealing;
    if (!key) {
      this.logger.warn('history is not sealed: set ATELIER_SEAL_KEY_FILE (docs/seals.md)');
      return undefined;
    }
    return async (signal) => {
      try {
        await this.seal(key, signal);
      } catch (error) {
        if (!(error instanceof SealingRefused)) throw error;
        this.logger.error({ err: error }, 'history is not sealed any more');
        throw new ConsumerHalted(error.message, { cause: error });
      }
    };
  }

  private async seal(key: SealKey, signal: AbortSignal): Promise<void> {
    const { store, commands, clock } = this;
    const { keepIn } = this.configuration.sealing;
    const common: SealerOptions = { store, commands, key, clock, onSealed: (seal) => this.tell(seal) };
    if (!keepIn.includes('objects')) return sealLog(common, signal);
    const ended = new AbortController();
    const both = AbortSignal.any([signal, ended.signal]);
    const heads = new KeptHeads(this.storage, key.publicKey);
    const requireNewest = () => this.requireNewest(key, heads, both);
    const keeper = new HeadKeeper({ heads, requireNewest, everyMs: keptEveryMs, logger: this.logger });
    const sealing: SealerOptions = {
      ...common,
      onBegin: async (end) => {
        keeper.begin(await requireNewest());
        if (end.seal && !both.aborted) keeper.offer(sealAlone(end.seal as StoredSeal));
      },
      onSealed: (seal) => {
        this.tell(seal);
        keeper.offer(sealAlone(seal));
      },
    };
    const work = [sealLog(sealing, both), keeper.run(both)].map((each) => each.finally(() => ended.abort()));
    await Promise.allSettled(work);
    await Promise.all(work);
  }

  /** Waits for a storage that does not answer: as long as the head is unknown, nothing may be sealed. */
  private async requireNewest(key: SealKey, heads: KeptHeads, signal: AbortSignal): Promise<KeptPlace> {
    const look = async () => {
      const own = await heads.newest();
      await requireHead(this.store, own ?? (await newestHead(this.storage, key)));
      return { place: own?.place ?? 0, seal: own?.seal ?? null };
    };
    const newest = await retryUntilAborted(look, {
      signal,
      mayPass: (error) => !(error instanceof SealingRefused),
      onFailure: (err) => this.logger.warn({ err }, 'the head of the seals outside the database is unknown'),
    });
    return newest ?? { place: 0, seal: null };
  }

  private tell(stored: StoredSeal): void {
    const { keepIn } = this.configuration.sealing;
    this.count(stored.count);
    if (keepIn.includes('log'))
      this.logger.info({ seal: sealAlone(stored) }, `sealed ${stored.count} events`);
  }
}
