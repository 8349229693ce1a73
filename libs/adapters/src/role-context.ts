import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadConfiguration, requireSigningKey } from '#platform/configuration.js';
import { createLogger } from '#platform/logger.js';
import { openRoleServer, type LookForProblems } from '#platform/role-server.js';
import { runRole } from '#platform/run-role.js';
import { startTracing } from '#platform/tracing.js';
import type { ProcessSettings } from './platform.module.js';

/** The app of a role, with what this process tells about it. */
export interface RoleApp {
  readonly app: Pick<INestApplicationContext, 'close'>;
  readonly problems: LookForProblems;
  /** For the parent process: see {@link runRole}. */
  readonly facts?: object;
}

/**
 * Runs the app of a role in this process, and beside it the server of metrics and probes. The process reports
 * that it is stopping before anything in it stops.
 */
export async function runApp(
  role: string,
  open: (settings: ProcessSettings) => Promise<RoleApp>,
): Promise<void> {
  const logger = createLogger(role);
  await runRole(logger, async (stopping) => {
    const configuration = loadConfiguration();
    requireSigningKey(configuration);
    const stopTracing = await startTracing(role, logger);
    const server = await openRoleServer(role, configuration, logger);
    const { app, problems, facts } = await open({ configuration, logger, metrics: server.metrics, stopping });
    server.ready(problems);
    return {
      facts: { ...facts, metricsPort: server.port },
      async stop() {
        server.ready(() => Promise.resolve(['it is stopping']));
        await app.close();
        await stopTracing();
        await server.close();
      },
    };
  });
}

/** A context whose errors reach its caller. By default, Nest would print them and end the process. */
export function openContext(module: DynamicModule): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
}
