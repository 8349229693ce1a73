import { loadConfiguration } from '#platform/configuration.js';
import { createLogger } from '#platform/logger.js';
import { Metrics } from '#platform/metrics.js';
import { runRole } from '#platform/run-role.js';
import { startTracing } from '#platform/tracing.js';
import { createApi } from './create-api.js';

const logger = createLogger('api');

await runRole(logger, async (stopping) => {
  const configuration = loadConfiguration();
  const stopTracing = await startTracing('api', logger);
  const metrics = configuration.metrics ? new Metrics('api') : undefined;
  const { host, trustedProxies } = configuration;
  const api = await createApi({ configuration, logger, metrics, stopping }, { trustedProxies });
  await api.listen(configuration.port, host);
  // It listens on a port, not on a pipe.
  const { port } = api.getHttpServer().address() as { port: number };
  logger.info({ host, port }, 'listening');
  return {
    facts: { host, port },
    async stop() {
      await api.close();
      await stopTracing();
    },
  };
});
