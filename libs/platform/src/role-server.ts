import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Configuration } from './configuration.js';
import { guardedServer } from './guarded-server.js';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';
import { inTime } from './retry.js';

/**
 * The problems that keep a role from working, as texts for people. Empty when it is ready. Rejects if the check
 * failed.
 */
export type LookForProblems = () => Promise<readonly string[]>;

/** Whether this process can do its work. */
export abstract class Readiness {
  /** The problems that keep it from its work, as texts for people. */
  abstract readonly problems: LookForProblems;
}

export interface RoleServer {
  /** Undefined if metrics are switched off, or if no port is set for them. */
  readonly metrics: Metrics | undefined;
  /** Undefined when nothing is served. */
  readonly port: number | undefined;
  /** Until this is called, `/health/ready` says that the role is starting. */
  ready(look: LookForProblems): void;
  close(): Promise<void>;
}

interface Served {
  readonly metrics: Metrics | undefined;
  readonly look: LookForProblems;
}

/** How long a readiness probe may take before it counts as failed. */
const patienceMs = 2_000;

/**
 * Serves `/metrics`, `/health/live` and `/health/ready` to operators on METRICS_PORT, if that is set. If the
 * port is taken, it reports that and the role goes on: `npm start` gives two roles the same port.
 */
export async function openRoleServer(
  role: string,
  { metrics: wanted, metricsPort, host }: Pick<Configuration, 'metrics' | 'metricsPort' | 'host'>,
  logger: Logger,
): Promise<RoleServer> {
  const none = {
    metrics: undefined,
    port: undefined,
    ready: () => undefined,
    close: () => Promise.resolve(),
  };
  if (metricsPort === undefined) return none;
  // Their library is loaded where it is used only.
  const metrics = wanted ? new (await import('./metrics.js')).Metrics(role) : undefined;
  let look: LookForProblems = () => Promise.resolve(['it is starting']);
  try {
    const served = { metrics, look: () => look() };
    const { port, close } = await listen(served, host, metricsPort);
    logger.info({ host, port }, 'metrics are served');
    return { metrics, port, ready: (next) => (look = next), close };
  } catch (err) {
    logger.error({ err }, 'metrics are not served');
    return none;
  }
}

function listen(served: Served, host: string, port: number) {
  const server = guardedServer({}, (request, response) => {
    answer(served, request, response).catch(() => response.destroy());
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return new Promise<{ port: number; close: () => Promise<void> }>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      // The address of a TCP server is never a text or null.
      resolve({ port: (server.address() as AddressInfo).port, close });
    });
  });
}

async function answer(
  { metrics, look }: Served,
  { method, url }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = method === 'GET' ? url?.split('?', 1)[0] : undefined;
  if (path === '/metrics' && metrics) {
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
  } else if (path === '/health/live') {
    json(response, 200, { status: 'ok' });
  } else if (path === '/health/ready') {
    const problems = await problemsInTime(look);
    if (problems.length === 0) json(response, 200, { status: 'ok' });
    else json(response, 503, { status: 'not ready', problems });
  } else response.writeHead(404).end();
}

/** A check that fails or takes too long is a problem too. */
export async function problemsInTime(look: LookForProblems): Promise<readonly string[]> {
  const late = new Error(`there is no answer within ${patienceMs} ms`);
  return inTime(look, patienceMs, () => late).catch((error: unknown) => [
    error === late ? late.message : 'its state is unknown: the check failed',
  ]);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
