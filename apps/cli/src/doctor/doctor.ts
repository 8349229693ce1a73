import pg from 'pg';
import { openEventStore } from '#event-store/open-event-store.js';
import { findConnections, type Connections } from '../connections.js';
import { printJson, printLine, printTable } from '../output.js';
import type { OutputOptions } from '../verb.js';
import { readProjections, type ProjectionStatus } from './projection-status.js';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What was found, or what is wrong and what to do. */
  readonly detail: string;
}

const answerWithinMs = 3_000;

/** Every check is made, whatever the others find; the exit code is 1 when one of them fails. */
export async function doctor({ json }: OutputOptions): Promise<void> {
  const connections = findConnections();
  let head: bigint | undefined;
  let projections: ProjectionStatus[] = [];
  const checks = [
    await check('database', async () => databaseVersion(connections.databaseUrl)),
    await check('event store', async () => {
      head = await readHead(connections);
      return head === undefined ? 'empty' : `head at ${head}`;
    }),
    await check('read models', async () => {
      projections = await readProjections(connections.databaseUrl, head ?? 0n);
      return judge(projections);
    }),
    await check('API is alive', () => health(connections, 'live')),
    await check('API is ready', () => health(connections, 'ready')),
  ];
  const ok = checks.every((each) => each.ok);
  if (!ok) process.exitCode = 1;
  if (json) {
    printJson({ ok, base_url: connections.baseUrl, head_position: head ?? null, checks, projections });
    return;
  }
  printTable(
    ['', 'check', 'found'],
    checks.map((each) => [each.ok ? 'ok' : 'FAILED', each.name, each.detail]),
  );
  if (projections.length === 0) return;
  printLine();
  printTable(
    ['environment', 'read model', 'state', 'position', 'events behind', 'parked'],
    projections.map((each) => [each.env, each.name, each.state, each.position, each.lag, each.parked]),
  );
}

async function check(name: string, look: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, detail: await look() };
  } catch (error) {
    const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
    return { name, ok: false, detail: cause instanceof Error ? cause.message : String(cause) };
  }
}

async function databaseVersion(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: answerWithinMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return `PostgreSQL ${rows[0]?.server_version}`;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function readHead(connections: Connections): Promise<bigint | undefined> {
  const opened = openEventStore(connections, { maxConnections: 1, deadlineMs: answerWithinMs });
  try {
    return await opened.store.head();
  } finally {
    await opened.close();
  }
}

function judge(projections: readonly ProjectionStatus[]): string {
  if (projections.length === 0) throw new Error('none yet: start the projector');
  const halted = projections.filter(({ state }) => state === 'halted');
  if (halted.length > 0)
    throw new Error(
      halted.map(({ env, name, halted_because: why }) => `${env} ${name} is halted: ${why}`).join('; '),
    );
  const parked = projections.reduce((sum, each) => sum + each.parked, 0);
  if (parked > 0) throw new Error(`${parked} events are parked: the projector's log says why`);
  const lag = Math.max(...projections.map((each) => each.lag));
  return lag === 0 ? 'all up to date' : `at most ${lag} events behind`;
}

async function health({ baseUrl }: Connections, what: 'live' | 'ready'): Promise<string> {
  const url = `${baseUrl}/health/${what}`;
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) });
  } catch (error) {
    throw new Error(`${url} does not answer: is the API running?`, { cause: error });
  }
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return url;
}
