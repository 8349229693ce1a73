import {
  Global,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { processManagers } from '#application/process-managers/process-managers.js';
import { EventStore } from '#event-store/event-store.js';
import { StorePresence } from '#event-store/store-presence.js';
import { Configuration } from '#platform/configuration.js';
import type { Metrics } from '#platform/metrics.js';
import { Readiness } from '#platform/role-server.js';
import { Troubles } from '#platform/troubles.js';
import { consumersOf } from '#read-store/consumers.js';
import { Logger } from '#platform/logger.js';
import { Installation } from '#read-store/installation.js';
import { countProcesses, readSignsOfLife, SignOfLife, type Role } from '#read-store/signs-of-life.js';
import { pgBossQueueLevels } from '#render-queue/queue-levels.js';
import { OwnMetrics } from './platform.module.js';

/**
 * One process's view of the whole installation: whether it is ready. It also gives the process's sign of life
 * and, if requested, reads the levels.
 */
@Global()
@Module({})
export class InstallationModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly installation: Installation,
    private readonly life: SignOfLife,
  ) {}

  /**
   * @param levels whether the metrics of this process show how far behind consumers are and how full queues are
   */
  static with(role: Role, { levels }: { readonly levels: boolean }): DynamicModule {
    return {
      module: InstallationModule,
      providers: [
        {
          provide: Installation,
          inject: [Configuration, EventStore, OwnMetrics, StorePresence],
          useFactory: async (
            urls: Configuration,
            store: EventStore,
            metrics: Metrics | undefined,
            presence: StorePresence,
          ) => {
            const { databaseUrl, eventStoreUrl, projector } = urls;
            const canDoWithoutStore = () => role === 'api' && presence.wasThere;
            const common = { databaseUrl, eventStoreUrl, store, canDoWithoutStore };
            if (!levels) return begun(new Installation({ ...common, consumers: [] }));
            // Read models load TypeORM, which costs a process 0.15 s of CPU.
            const { readModels } = await import('#projections/read-models.js');
            const installation = new Installation({
              ...common,
              consumers: consumersOf(readModels, processManagers),
            });
            await watchLevels(installation, metrics, projector.orphanHorizonMs);
            return begun(installation);
          },
        },
        { provide: Readiness, useExisting: Installation },
        {
          provide: SignOfLife,
          inject: [Installation, Logger, Troubles],
          useFactory: ({ probes }: Installation, logger: Logger, troubles: Troubles) =>
            new SignOfLife(probes, role, logger, troubles),
        },
      ],
      exports: [Installation, Readiness],
    };
  }

  onApplicationBootstrap(): void {
    this.life.begin();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.life.end();
    await this.installation.close();
  }
}

/** Checks the log before anything in the process works on it: the log may belong to another installation. */
async function begun(installation: Installation): Promise<Installation> {
  try {
    await installation.log.begin();
    return installation;
  } catch (error) {
    await installation.close();
    throw error;
  }
}

async function watchLevels(
  installation: Installation,
  metrics: Metrics | undefined,
  horizonMs: number,
): Promise<void> {
  const { readOpenCharges } = await import('#projections/ledger/ledger.reader.js');
  metrics?.watchInstallation({
    consumers: () => installation.consumers(),
    charges: () => readOpenCharges(installation.database, horizonMs),
    queues: pgBossQueueLevels(installation.database),
    processes: async () => countProcesses(await readSignsOfLife(installation.database)),
  });
}
