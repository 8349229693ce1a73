import { AccountWriter } from '#application/account/account-writer.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { systemClock } from '#platform/clock.js';
import { loadConfiguration } from '#platform/configuration.js';
import { keepTrying } from '#platform/keep-trying.js';
import { createLogger } from '#platform/logger.js';
import { openRoleMetrics } from '#platform/role-metrics.js';
import { runRole } from '#platform/run-role.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { startProjector } from './projector.js';

const logger = createLogger('projector');

await runRole(logger, async (stopping) => {
  const configuration = loadConfiguration();
  const { databaseUrl, eventStoreUrl } = configuration;
  const { metrics, close: closeMetrics } = await openRoleMetrics('projector', configuration, logger);
  const observer = metrics ? { observer: metrics.eventStore } : {};
  const opened = openEventStore({ eventStoreUrl, databaseUrl }, observer);
  const { store, snapshots } = opened;
  const accounts = new AccountWriter(store, snapshots, {
    onSnapshotError: (error) => logger.warn({ err: error }, 'a snapshot was not saved'),
  });
  const queue = await keepTrying(
    () => PgBossRenderQueue.start({ url: databaseUrl, logger }),
    stopping,
    (error, retryMs) => logger.error({ err: error, retryMs }, 'the render queue cannot be reached'),
  );
  const projector = startProjector({
    ...configuration.projector,
    ...{ databaseUrl, store, accounts, queue, logger },
    clock: systemClock,
  });
  return {
    async stop() {
      await projector.stop();
      await queue.stop(0);
      await opened.close();
      await closeMetrics();
    },
  };
});
