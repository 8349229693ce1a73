import '#platform/node-version.js';
import { readFile } from 'node:fs/promises';
import { systemClock } from '#platform/clock.js';
import { ConfigurationError, loadConfiguration, requireSigningKey } from '#platform/configuration.js';
import { ConsoleFiles } from '#platform/console-files.js';
import { createLogger } from '#platform/logger.js';
import { packagePath } from '#platform/package-folder.js';
import { openRoleServer } from '#platform/role-server.js';
import { runRole } from '#platform/run-role.js';
import { startTracing } from '#platform/tracing.js';
import { signIn } from '#capabilities/parts.js';
import { calls, features } from '../calls.js';
import { ConnectedOperator } from '../connected-operator.js';
import { runAlerting } from '../alerts/alerting.js';
import { pictureOrigins } from '../pictures/pictures.js';
import { AdminServer } from './admin-server.js';

const logger = createLogger('admin');

// Operators' calls, such as an audit, have a role of their own. So they take nothing from the API, and cost
// nothing where the role does not run.
await runRole(logger, async () => {
  const configuration = loadConfiguration();
  requireSigningKey(configuration);
  const { admin, authFailuresPerMin: failuresPerMin } = configuration;
  if (admin.port === undefined) throw new ConfigurationError('ATELIER_ADMIN_PORT is not set');
  if (!signIn) throw new ConfigurationError('no capability signs operators in, so their API is not served');
  const stopTracing = await startTracing('admin', logger);
  const probes = await openRoleServer('admin', configuration, logger);
  const operator = await ConnectedOperator.serve(configuration, features);
  const description = () => readFile(packagePath('openapi-admin.json'), 'utf8');
  const clock = systemClock;
  const pages = new ConsoleFiles('operator', await pictureOrigins(operator));
  const server = new AdminServer({
    operator,
    calls,
    signIn: await signIn.open(),
    logger,
    clock,
    failuresPerMin,
    description,
    console: pages,
  });
  const port = await server.listen(admin.port, admin.host);
  probes.ready(() => Promise.resolve([]));
  logger.info({ host: admin.host, port }, "the operator's API listens");
  const stopping = new AbortController();
  const alerting = runAlerting({ operator, clock, logger, signal: stopping.signal });
  return {
    facts: { host: admin.host, port, metricsPort: probes.port },
    async stop() {
      stopping.abort();
      await alerting;
      await server.close();
      await operator[Symbol.asyncDispose]();
      await stopTracing();
      await probes.close();
    },
  };
});
