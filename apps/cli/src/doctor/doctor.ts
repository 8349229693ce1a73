import { openEventStore } from '#event-store/open-event-store.js';
import { readServerVersion } from '#event-store/server-version.js';
import { findConnections, type Connections } from '../connections.js';
import { printJson, printLine, printTable } from '../output.js';
import type { OutputOptions } from '../verb.js';
import { answerWithinMs, check, type Check } from './check.js';
import { readConsumers, type ConsumerStatus } from './consumer-status.js';
import { judgeConsumers, lagText } from './judge-consumers.js';
import { judgeQueue, readQueue, type QueueStatus } from './queue-status.js';

interface EventStoreStatus {
  readonly kind: string;
  readonly version: string;
  /** Of one short read on an open connection. */
  readonly latency_ms: number;
  /** Of the last event; null in an empty log. */
  readonly head_position: string | null;
}

interface Findings {
  readonly checks: readonly Check[];
  readonly eventStore: EventStoreStatus | undefined;
  readonly consumers: readonly ConsumerStatus[];
  readonly queues: readonly QueueStatus[];
}

/** Every check is made, whatever the others find; the exit code is 1 when one of them fails. */
export async function doctor({ json }: OutputOptions): Promise<void> {
  const connections = findConnections();
  const found = await examine(connections);
  const ok = found.checks.every((each) => each.ok);
  if (!ok) process.exitCode = 1;
  if (json) printAsJson(connections, ok, found);
  else print(ok, found);
}

async function examine(connections: Connections): Promise<Findings> {
  const { databaseUrl } = connections;
  let eventStore: EventStoreStatus | undefined;
  let consumers: ConsumerStatus[] = [];
  let queues: QueueStatus[] = [];
  const of = (kind: ConsumerStatus['kind']) => consumers.filter((each) => each.kind === kind);
  const checks = [
    await check('database', 'start PostgreSQL, or correct DATABASE_URL', async () => {
      const { kind, version } = await readServerVersion(databaseUrl, answerWithinMs);
      return `${kind} ${version}`;
    }),
    await check('event store', 'start it, or correct EVENT_STORE_URL', async () => {
      eventStore = await readEventStore(connections);
      const { kind, version, latency_ms: latency, head_position: head } = eventStore;
      return `${kind} ${version}, ${head === null ? 'empty' : `head at ${head}`}, answers in ${latency} ms`;
    }),
    await check('read models', projectorAdvice, async () => {
      if (!eventStore) throw new Error('how far they are cannot be told without the event store');
      const { kind } = eventStore;
      consumers = await withStore(connections, (store) => readConsumers(databaseUrl, { store, kind }));
      return judgeConsumers(of('read model'));
    }),
    await check('process managers', projectorAdvice, async () => {
      if (!eventStore) throw new Error('how far they are cannot be told without the event store');
      return Promise.resolve(judgeConsumers(of('process manager')));
    }),
    await check('render queue', 'start a worker; the log of one that runs says what keeps it', async () => {
      queues = await readQueue(databaseUrl);
      return judgeQueue(queues);
    }),
    await check('API is alive', 'start the API, or correct PUBLIC_URL', () => health(connections, 'live')),
    await check('API is ready', 'see the database and the event store above, then the log of the API', () =>
      health(connections, 'ready'),
    ),
  ];
  return { checks, eventStore, consumers, queues };
}

const projectorAdvice =
  'start a projector; the log of one that runs says what keeps it. After a move to another store see docs/moving-to-eventstoredb.md';

async function readEventStore(connections: Connections): Promise<EventStoreStatus> {
  const { kind, version } = await readServerVersion(connections.eventStoreUrl, answerWithinMs);
  return withStore(connections, async (store) => {
    await store.head();
    const startedAt = performance.now();
    const head = await store.head();
    const latency = Math.round((performance.now() - startedAt) * 10) / 10;
    return { kind, version, latency_ms: latency, head_position: head?.toString() ?? null };
  });
}

async function withStore<T>(
  connections: Connections,
  work: (store: ReturnType<typeof openEventStore>['store']) => Promise<T>,
): Promise<T> {
  const opened = openEventStore(connections, { maxConnections: 2, deadlineMs: answerWithinMs });
  try {
    return await work(opened.store);
  } finally {
    await opened.close();
  }
}

async function health({ baseUrl }: Connections, what: 'live' | 'ready'): Promise<string> {
  const url = `${baseUrl}/health/${what}`;
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) });
  } catch (error) {
    throw new Error(`${url} does not answer`, { cause: error });
  }
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return url;
}

function printAsJson({ baseUrl }: Connections, ok: boolean, found: Findings): void {
  const { checks, eventStore, consumers, queues } = found;
  const of = (wanted: ConsumerStatus['kind']) =>
    consumers.filter(({ kind }) => kind === wanted).map(({ kind: _kind, ...rest }) => rest);
  printJson({
    ok,
    base_url: baseUrl,
    head_position: eventStore?.head_position ?? null,
    checks,
    event_store: eventStore ?? null,
    projections: of('read model'),
    process_managers: of('process manager').map(({ parked: _parked, ...rest }) => rest),
    render_queue: queues,
  });
}

function print(ok: boolean, { checks, consumers }: Findings): void {
  printTable(
    ['', 'check', 'found'],
    checks.map((each) => [each.ok ? 'ok' : 'FAILED', each.name, each.detail]),
  );
  if (consumers.length > 0) {
    printLine();
    printTable(
      ['environment', 'consumer', 'state', 'position', 'behind', 'parked'],
      consumers.map((each) => [each.env, each.name, each.state, each.position, lagText(each), each.parked]),
    );
  }
  printLine();
  const failed = checks.filter((each) => !each.ok);
  for (const { name, advice } of failed) printLine(`To do: ${name}: ${advice}`);
  printLine(ok ? 'All is well.' : `Not well: ${failed.map(({ name }) => name).join(', ')}.`);
}
