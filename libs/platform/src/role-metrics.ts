import type { Configuration } from './configuration.js';
import type { Logger } from './logger.js';
import { Metrics, serveMetrics } from './metrics.js';

export interface RoleMetrics {
  /** Undefined when they are switched off. */
  readonly metrics: Metrics | undefined;
  close(): Promise<void>;
}

/**
 * The metrics of a role without HTTP of its own, served when METRICS_PORT says where. A port that is taken is reported
 * and no reason to stop: `npm start` gives the same one to two roles.
 */
export async function openRoleMetrics(
  role: string,
  { metrics: wanted, metricsPort, host }: Configuration,
  logger: Logger,
): Promise<RoleMetrics> {
  const none = { metrics: undefined, close: () => Promise.resolve() };
  if (!wanted || metricsPort === undefined) return none;
  const metrics = new Metrics(role);
  try {
    const { port, close } = await serveMetrics(metrics, host, metricsPort);
    logger.info({ host, port }, 'metrics are served');
    return { metrics, close };
  } catch (err) {
    logger.error({ err }, 'metrics are not served');
    return none;
  }
}
