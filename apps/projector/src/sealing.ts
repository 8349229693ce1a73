import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { OwnMetrics } from '#adapters/platform.module.js';
import { sealLog, SealingRefused } from '#application/seals/sealer.js';
import { EventStore } from '#event-store/event-store.js';
import type { Seal } from '#event-store/seals/seal.js';
import { Clock } from '#platform/clock.js';
import { Configuration } from '#platform/configuration.js';
import { Logger } from '#platform/logger.js';
import type { Metrics } from '#platform/metrics.js';
import { ConsumerHalted } from '#read-store/consumer-errors.js';
import type { Task } from '#read-store/exclusive-session.js';
import { ObjectStorage } from '#storage/object-storage.js';

/** Seals the log in this process, while no other one does, and keeps each seal where the configuration wants it. */
@Injectable()
export class Sealing {
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
    const onSealed = (seal: Seal) => this.keep(seal);
    const run = async (signal: AbortSignal) => {
      try {
        await sealLog({ store, commands, key, clock, onSealed }, signal);
      } catch (error) {
        if (!(error instanceof SealingRefused)) throw error;
        logger.error({ err: error }, 'history is not sealed any more');
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
      await this.storage.put(key, Buffer.from(`${JSON.stringify(seal)}\n`), 'application/json');
    } catch (err) {
      this.logger.warn({ err, number: seal.number }, 'a seal could not be kept in object storage');
    }
  }
}
