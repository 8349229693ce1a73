import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { OwnMetrics } from '#adapters/platform.module.js';
import { sealLog, SealingRefused } from '#application/seals/sealer.js';
import { EventStore } from '#event-store/event-store.js';
import { sealAlone, type Seal, type StoredSeal } from '#event-store/seals/seal.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import type { Metrics } from '#platform/metrics.js';
import { ConsumerHalted } from '#read-store/consumer-errors.js';
import { inTime } from '#platform/retry.js';
import type { Task } from '#read-store/exclusive-session.js';
import { ObjectStorage } from '#storage/object-storage.js';

/** What the storage gets for one seal: the next one must not wait for ever. */
const keptWithinMs = 5_000;

/** Seals the log in this process, while no other one does, and keeps each seal where the configuration wants it. */
@Injectable()
export class Sealing {
  /** This process seals nothing until its next start: a person has to look. */
  refused = false;

  constructor(
    private readonly store: EventStore,
    private readonly commands: CommandBus,
    private readonly storage: ObjectStorage,
    @Inject(Configuration) private readonly configuration: Configuration,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Logger) private readonly logger: Logger,
    @Inject(OwnMetrics) private readonly metrics: Metrics | undefined,
  ) {}

  /** None without a key: that is said once, for history can then be altered unseen. */
  tasks(): Task[] {
    const { key } = this.configuration.sealing;
    const { store, commands, clock, logger } = this;
    if (!key) {
      logger.warn('history is not sealed: set ATELIER_SEAL_KEY_FILE (docs/seals.md)');
      return [];
    }
    const onSealed = (stored: StoredSeal) => this.keep(sealAlone(stored));
    const run = async (signal: AbortSignal) => {
      try {
        await sealLog({ store, commands, key, clock, onSealed }, signal);
      } catch (error) {
        if (!(error instanceof SealingRefused)) throw error;
        logger.error({ err: error }, 'history is not sealed any more');
        this.refused = true;
        throw new ConsumerHalted(error.message, { cause: error });
      }
    };
    return [{ lock: 'atelier.process.seals', run: (_, signal) => run(signal) }];
  }

  /** A seal names the one before, so the next one that is kept makes up for one that could not be. */
  private async keep(seal: Seal): Promise<void> {
    const { keepIn } = this.configuration.sealing;
    this.metrics?.sealedEvents.inc(seal.count);
    if (keepIn.includes('log')) this.logger.info({ seal }, `sealed ${seal.count} events`);
    if (!keepIn.includes('objects')) return;
    const key = `seals/${seal.chain}/${String(seal.number).padStart(10, '0')}.json`;
    try {
      const put = () => this.storage.put(key, Buffer.from(`${JSON.stringify(seal)}\n`), 'application/json');
      await inTime(put, keptWithinMs, () => new Error(`no answer within ${keptWithinMs} ms`));
    } catch (err) {
      this.logger.warn({ err, number: seal.number }, 'a seal could not be kept in object storage');
    }
  }
}
