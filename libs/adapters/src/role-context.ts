import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadConfiguration, requireSigningKey } from '#platform/configuration.js';
import type { Logger } from '#platform/logger.js';
import { openRoleServer, type LookForProblems } from '#platform/role-server.js';
import { runRole } from '#platform/run-role.js';
import { startTracing } from '#platform/tracing.js';
import type { ProcessSettings } from './platform.module.js';

/**
 * Runs a role without an interface of its own in this process: an application context, and beside it the server
 * of metrics and probes. The process reports that it is stopping before anything in it stops.
 */
export async function runContext(
  role: string,
  logger: Logger,
  moduleFor: (settings: ProcessSettings) => DynamicModule,
  problemsOf: (context: INestApplicationContext) => LookForProblems,
): Promise<void> {
  await runRole(logger, async (stopping) => {
    const configuration = loadConfiguration();
    requireSigningKey(configuration);
    const stopTracing = await startTracing(role, logger);
    const server = await openRoleServer(role, configuration, logger);
    const settings = { configuration, logger, metrics: server.metrics, stopping };
    const context = await openContext(moduleFor(settings));
    server.ready(problemsOf(context));
    return {
      facts: { metricsPort: server.port },
      async stop() {
        server.ready(() => Promise.resolve(['it is stopping']));
        await context.close();
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
