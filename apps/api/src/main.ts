import '#platform/node-version.js';
import { runApp } from '#adapters/role-context.js';
import { listenBacklog } from '#platform/guarded-server.js';
import { Metrics } from '#platform/metrics.js';
import { createApi } from './create-api.js';
import { HealthController } from './http/probes.controller.js';

await runApp('api', async (settings) => {
  const { host, port: wanted, publicMetrics } = settings.configuration;
  const metrics = settings.metrics ?? (publicMetrics ? new Metrics('api') : undefined);
  const app = await createApi({ ...settings, metrics });
  await app.listen({ port: wanted, host, backlog: listenBacklog });
  const health = app.get(HealthController);
  // It listens on a port, not on a pipe.
  const { port } = app.getHttpServer().address() as { port: number };
  settings.logger.info({ host, port }, 'listening');
  return { app, problems: () => health.problems(), facts: { host, port } };
});
