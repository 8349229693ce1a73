import { AccountWriter } from '#application/account/account-writer.js';
import { observeOutcomes } from '#application/observed-outcomes.js';
import { processManagers } from '#application/process-managers/process-managers.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { systemClock } from '#platform/clock.js';
import { loadConfiguration } from '#platform/configuration.js';
import { retry } from '#platform/retry.js';
import { createLogger } from '#platform/logger.js';
import { openRoleServer } from '#platform/role-server.js';
import { runRole } from '#platform/run-role.js';
import { traceAppends } from '#platform/traced-event-store.js';
import { startTracing } from '#platform/tracing.js';
import { readOpenCharges } from '#projections/ledger/ledger.reader.js';
import { readModels } from '#projections/read-models.js';
import { consumersOf } from '#read-store/consumers.js';
import { Installation } from '#read-store/installation.js';
import { pgBossQueueLevels, PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { startProjector } from './projector.js';

const logger = createLogger('projector');

await runRole(logger, async (stopping) => {
  const configuration = loadConfiguration();
  const { databaseUrl, eventStoreUrl } = configuration;
  const stopTracing = await startTracing('projector', logger);
  const server = await openRoleServer('projector', configuration, logger);
  const { metrics } = server;
  const observer = metrics ? { observer: metrics.eventStore } : {};
  const opened = openEventStore({ eventStoreUrl, databaseUrl }, observer);
  const { snapshots } = opened;
  const store = traceAppends(metrics ? observeOutcomes(opened.store, metrics.outcomes) : opened.store);
  const consumers = consumersOf(readModels, processManagers);
  const installation = new Installation({ databaseUrl, eventStoreUrl, store, consumers });
  metrics?.watchInstallation({
    consumers: () => installation.consumers(),
    charges: () => readOpenCharges(installation.database, configuration.projector.orphanHorizonMs),
    queues: pgBossQueueLevels(installation.database),
  });
  const accounts = new AccountWriter(store, snapshots, {
    onSnapshotError: (error) => logger.warn({ err: error }, 'a snapshot was not saved'),
  });
  const queue = await retry(() => PgBossRenderQueue.start({ url: databaseUrl, logger }), {
    signal: stopping,
    onFailure: (err, retryMs) => logger.error({ err, retryMs }, 'the render queue cannot be reached'),
  });
  const projector = startProjector({
    ...configuration.projector,
    ...{ databaseUrl, store, accounts, queue, logger },
    clock: systemClock,
  });
  server.ready(async () => {
    const standing = projector.standingStill().map((task) => `${task} stand still in this process`);
    return [...standing, ...(await installation.problems())];
  });
  return {
    facts: { metricsPort: server.port },
    async stop() {
      server.ready(() => Promise.resolve(['it is stopping']));
      await projector.stop();
      await queue.stop(0);
      await installation.close();
      await opened.close();
      await stopTracing();
      await server.close();
    },
  };
});
