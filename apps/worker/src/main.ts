import { observeOutcomes } from '#application/observed-outcomes.js';
import { openEngines } from '#adapters/engines.module.js';
import { openEventStore } from '#event-store/open-event-store.js';
import { systemClock } from '#platform/clock.js';
import { loadConfiguration } from '#platform/configuration.js';
import { retry } from '#platform/retry.js';
import { createLogger } from '#platform/logger.js';
import { openRoleServer } from '#platform/role-server.js';
import { runRole } from '#platform/run-role.js';
import { traceAppends } from '#platform/traced-event-store.js';
import { startTracing } from '#platform/tracing.js';
import { Installation } from '#read-store/installation.js';
import { PgBossRenderQueue } from '#render-queue/pg-boss-render-queue.js';
import { openStorage } from '#storage/open-storage.js';
import { yieldToOthers } from './background-priority.js';
import { startWorker } from './worker.js';

const logger = createLogger('worker');

// Where all roles share a machine, a picture can wait for an answer, and not the other way round.
await yieldToOthers();

await runRole(logger, async (stopping) => {
  const configuration = loadConfiguration();
  const { databaseUrl, eventStoreUrl, workerConcurrency, tenantConcurrency, stopGraceMs } = configuration;
  const stopTracing = await startTracing('worker', logger);
  const server = await openRoleServer('worker', configuration, logger);
  const { metrics } = server;
  const observer = metrics ? { observer: metrics.eventStore } : {};
  const events = openEventStore({ eventStoreUrl, databaseUrl }, observer);
  const store = traceAppends(metrics ? observeOutcomes(events.store, metrics.outcomes) : events.store);
  const installation = new Installation({ databaseUrl, eventStoreUrl, store, consumers: [] });
  const storage = openStorage(configuration);
  const queue = await retry(() => PgBossRenderQueue.start({ url: databaseUrl, logger }), {
    signal: stopping,
    onFailure: (err, retryMs) => logger.error({ err, retryMs }, 'the render queue cannot be reached'),
  });
  const worker = await startWorker({
    ...{ store, storage, queue, logger, tenantConcurrency },
    engines: openEngines(configuration.imageModels),
    clock: systemClock,
    concurrency: workerConcurrency,
  });
  server.ready(() => installation.storeProblems());
  return {
    facts: { metricsPort: server.port },
    async stop() {
      server.ready(() => Promise.resolve(['it is stopping']));
      await worker.stop(stopGraceMs);
      await installation.close();
      await events.close();
      await stopTracing();
      await server.close();
    },
  };
});
