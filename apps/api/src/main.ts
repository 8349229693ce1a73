import '#platform/node-version.js';
import { loadConfiguration, requireSigningKey } from '#platform/configuration.js';
import { listenBacklog } from '#platform/guarded-server.js';
import { createLogger } from '#platform/logger.js';
import { Metrics } from '#platform/metrics.js';
import { openRoleServer } from '#platform/role-server.js';
import { runRole } from '#platform/run-role.js';
import { startTracing } from '#platform/tracing.js';
import { createApi } from './create-api.js';
import { HealthController } from './http/probes.controller.js';

const logger = createLogger('api');

await runRole(logger, async (stopping) => {
  const configuration = loadConfiguration();
  requireSigningKey(configuration);
  const stopTracing = await startTracing('api', logger);
  const server = await openRoleServer('api', configuration, logger);
  const { host, trustedProxies, corsOrigins, publicMetrics } = configuration;
  const metrics = server.metrics ?? (publicMetrics ? new Metrics('api') : undefined);
  const api = await createApi({ configuration, logger, metrics, stopping }, { trustedProxies, corsOrigins });
  await api.listen({ port: configuration.port, host, backlog: listenBacklog });
  const health = api.get(HealthController);
  server.ready(() => health.problems());
  // It listens on a port, not on a pipe.
  const { port } = api.getHttpServer().address() as { port: number };
  logger.info({ host, port }, 'listening');
  return {
    facts: { host, port, metricsPort: server.port },
    async stop() {
      server.ready(() => Promise.resolve(['it is stopping']));
      await api.close();
      await stopTracing();
      await server.close();
    },
  };
});
