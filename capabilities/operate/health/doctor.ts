import { actionsPrefix } from '#application/action/record-action.handler.js';
import { healthOfCapabilities } from '#capabilities/parts.js';
import { Unwell } from '#operator-calls/health.js';
import { proofOptions, wordsOptions } from '#adapters/event-log.module.js';
import { environments } from '#domain/streams.js';
import { readAdopted } from '#event-store/authentic/adopted-history.js';
import { EventMacs } from '#event-store/authentic/event-macs.js';
import {
  locationOf,
  openEventStore,
  readAppendLimit,
  readServerVersion,
  weaknessOfPassword,
} from '#event-store/open-event-store.js';
import { LogWatch } from '#read-store/log-watch.js';
import { countProcesses, readSignsOfLife, silences } from '#read-store/signs-of-life.js';
import type { Configuration } from '#platform/configuration.js';
import { connectionBudgets } from '#platform/connections.js';
import { readOpenCharges } from '#projections/ledger/ledger.reader.js';
import { errorCode, messageOf } from '#platform/errors.js';
import { onlyRow } from '#platform/postgres.js';
import { pgBossQueueLevels } from '#render-queue/queue-levels.js';
import { levelsOf, queuePatienceSeconds } from '../now/figures.js';
import { auditLine, complaintsAboutAudits, lastAudits } from '../ledger/last-audit.js';
import { KeptEvents } from '../log-reading.js';
import { findStranded } from '../jobs/stranded-jobs.js';
import { judgeConsumers, lagText, readConsumers, type ConsumerStatus } from './consumers.js';
import { findConfiguration } from '#operator-calls/find-configuration.js';
import { answerWithinMs, patience, withDatabase, withEventStore } from '../service.js';
import { printJson, printLine, printTable } from '#operator-calls/output.js';
import type { OutputOptions } from '#operator-calls/verb.js';

interface Examination {
  readonly name: string;
  readonly ok: boolean;
  /** The finding, or the error. */
  readonly detail: string;
  /** The advice for a check that is not ok. */
  readonly advice: string | null;
}

interface EventStoreStatus {
  readonly kind: string;
  readonly version: string;
  /** Time of one short read on an open connection. */
  readonly latency_ms: number;
  /** Position of the last event; null in an empty log. */
  readonly head_position: string | null;
}

interface Diagnosis {
  readonly checks: readonly Examination[];
  readonly eventStore: EventStoreStatus | undefined;
  readonly consumers: readonly ConsumerStatus[];
  readonly queues: readonly QueueStatus[];
}

const afterTheStores = 'see to the database and the event store above first';

/** Makes every check, even after others have failed. The exit code is 1 if one of them fails. */
export async function doctor({ json }: OutputOptions): Promise<void> {
  const configuration = findConfiguration();
  const found = await examine(configuration);
  const ok = isWell(found);
  if (!ok) process.exitCode = 1;
  if (json) printJson(describe(configuration, ok, found));
  else print(ok, found);
}

async function examine(configuration: Configuration): Promise<Diagnosis> {
  const { databaseUrl } = configuration;
  let eventStore: EventStoreStatus | undefined;
  let consumers: ConsumerStatus[] = [];
  let queues: QueueStatus[] = [];
  const of = (kind: ConsumerStatus['kind']) => consumers.filter((each) => each.kind === kind);
  const checks = [
    await check('database', 'start PostgreSQL, or correct DATABASE_URL', async () => {
      const { kind, version } = await readServerVersion(databaseUrl, answerWithinMs);
      return `${kind} ${version}`;
    }),
    await check('connections', 'raise max_connections, or set DATABASE_CONNECTIONS for the roles', () =>
      readConnections(databaseUrl),
    ),
    await check('event store', 'start it, or correct EVENT_STORE_URL', async () => {
      eventStore = await readEventStore(configuration);
      const { kind, version, latency_ms: latency, head_position: head } = eventStore;
      return `${kind} ${version}, ${head === null ? 'empty' : `head at ${head}`}, answers in ${latency} ms`;
    }),
    await check('event store settings', afterTheStores, () => judgeStoreSettings(configuration)),
    await check('log', 'docs/production.md, Restore, says how to go on', () => judgeLog(configuration)),
    await check('read models', afterTheStores, async () => {
      if (!eventStore) throw new Error('how far they are is unknown without the event store');
      consumers = await withDatabase(databaseUrl, answerWithinMs, (database) =>
        withEventStore(configuration, patience, (store) => readConsumers({ database, store, configuration })),
      );
      return judgeConsumers(of('read model'));
    }),
    await check('process managers', afterTheStores, async () => {
      if (!eventStore) throw new Error('how far they are is unknown without the event store');
      return Promise.resolve(judgeConsumers(of('process manager')));
    }),
    await check(
      'processes',
      'end the processes that hang, start those that are missing; the log of each says what holds it up',
      () => judgeProcesses(configuration),
    ),
    await check(
      'render queue',
      'start a worker; if one is running, its log says what holds it up',
      async () => {
        queues = await readQueues(databaseUrl);
        return judgeQueues(queues);
      },
    ),
    await check('unfinished jobs', 'run "atelier jobs requeue"; a running projector does so by itself', () =>
      judgeJobs(configuration),
    ),
    await check(
      'open charges',
      'start a projector, which closes them, or run "atelier orphans sweep"; "atelier orphans list" shows them',
      () => judgeCharges(configuration),
    ),
    ...(await examineCapabilities(configuration, { outside: false })),
    ...(await examineEvents(configuration)),
    ...(await examineCapabilities(configuration, { outside: true })),
    ...(await examineApi(configuration)),
  ];
  return { checks, eventStore, consumers, queues };
}

async function examineCapabilities(
  configuration: Configuration,
  { outside: wanted }: { readonly outside: boolean },
): Promise<Examination[]> {
  const checks = (await healthOfCapabilities()).flatMap(([, health]) => health.checks);
  const found: Examination[] = [];
  for (const { name, advice, outside = false, look } of checks)
    if (outside === wanted)
      found.push(
        await check(name, advice, () =>
          withEventStore(configuration, patience, (store) => look(store, configuration)),
        ),
      );
  return found;
}

async function examineApi(configuration: Configuration): Promise<Examination[]> {
  return [
    await check('API is alive', 'start the API, or correct PUBLIC_URL', () => health(configuration, 'live')),
    await check('API is ready', 'see to the other failed checks first, then read the log of the API', () =>
      health(configuration, 'ready'),
    ),
  ];
}

/** @throws Error if so few connections are left that no further process fits in */
async function readConnections(databaseUrl: string): Promise<string> {
  const { open, most } = await withDatabase(databaseUrl, answerWithinMs, async (client) =>
    onlyRow(
      await client.query<{ open: number; most: number }>(
        `select (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as open,
           current_setting('max_connections')::int
             - current_setting('superuser_reserved_connections')::int as most`,
      ),
    ),
  );
  const { api, projector, worker } = connectionBudgets;
  const each = `an API takes ${api} at most, a projector ${projector}, a worker ${worker}`;
  const found = `${open} of ${most} are open; ${each}`;
  if (most - open < worker) throw new Error(found);
  return found;
}

/**
 * Makes one check: `look` returns its finding, or throws the error.
 * @param advice used unless the error brings its own
 */
async function check(name: string, advice: string, look: () => Promise<string>): Promise<Examination> {
  try {
    return { name, ok: true, detail: await look(), advice: null };
  } catch (error) {
    const told = error instanceof Unwell ? error.advice : advice;
    return { name, ok: false, detail: `${messageOf(error)}${hintAt(error)}`, advice: told };
  }
}

/** A missing table or schema means that the database was not migrated. */
function hintAt(error: unknown): string {
  const code = errorCode(error);
  return code === '42P01' || code === '3F000' ? ' (run "atelier migrate" first)' : '';
}

async function readEventStore(configuration: Configuration): Promise<EventStoreStatus> {
  const { kind, version } = await readServerVersion(configuration.eventStoreUrl, answerWithinMs);
  return withEventStore(configuration, patience, async (store) => {
    await store.head();
    const startedAt = performance.now();
    const head = await store.head();
    const latency = Math.round((performance.now() - startedAt) * 10) / 10;
    return { kind, version, latency_ms: latency, head_position: head?.toString() ?? null };
  });
}

/**
 * @throws Unwell for a password that is easy to guess, or if the server accepts smaller appends than the
 * service may send
 */
async function judgeStoreSettings({ eventStoreUrl }: Configuration): Promise<string> {
  const weakness = weaknessOfPassword(eventStoreUrl);
  if (weakness !== undefined)
    throw new Unwell(
      weakness,
      'set another one in EventStoreDB, then in EVENT_STORE_URL (docs/eventstoredb-cluster.md)',
    );
  const limit = await readAppendLimit(eventStoreUrl, answerWithinMs);
  if (!limit) return 'PostgreSQL needs none';
  const { ours, theirs } = limit;
  if (theirs === undefined) return `the server does not report it; it must take ${ours} bytes in one append`;
  if (theirs < ours)
    throw new Unwell(
      `it takes ${theirs} bytes in one append, but the service may send ${ours}`,
      `set EVENTSTORE_MAX_APPEND_SIZE of each node to ${ours} or more`,
    );
  return `it takes ${theirs} bytes in one append`;
}

/** @throws Error if checkpoints do not fit the log, or the log is not the installation's */
async function judgeLog(configuration: Configuration): Promise<string> {
  const { databaseUrl, eventStoreUrl } = configuration;
  return withDatabase(databaseUrl, answerWithinMs, (client) =>
    withEventStore(configuration, patience, async (store) => {
      const place = locationOf(eventStoreUrl);
      const watch = new LogWatch(client, { store, place });
      await watch.begin();
      if (watch.misfit !== undefined) throw new Error(watch.misfit);
      // An unreachable store proves nothing about the checkpoints, and the advice to restore would be
      // dangerous.
      if (!watch.fits) throw new Unwell('whether it fits the checkpoints is unknown', afterTheStores);
      return `${place}, and each checkpoint names an event of it`;
    }),
  );
}

/** @throws Error if a process fell silent, or no process of a role lives */
async function judgeProcesses({ databaseUrl }: Configuration): Promise<string> {
  const seen = await withDatabase(databaseUrl, answerWithinMs, readSignsOfLife);
  const wrong = silences(seen);
  if (wrong.length > 0) throw new Error(wrong.join('. '));
  const releases = [...new Set(seen.map(({ release }) => release))].join(', ');
  const counts = countProcesses(seen).map(({ role, alive }) => `${alive} ${role}`);
  return `${counts.join(', ')} of release ${releases}`;
}

/** Examines the events: the last audit of them, the proof of their writer, and the encryption of personal words. */
async function examineEvents(configuration: Configuration): Promise<Examination[]> {
  return [
    await check('last audit', 'docs/auditing.md says how to go on', () => judgeAudits(configuration)),
    await check('writers', 'docs/seals.md says how events are proven', () => judgeWriters(configuration)),
    await check('personal words', 'docs/privacy.md says how they are encrypted', () =>
      judgeWords(configuration),
    ),
  ];
}

/** @throws Error unless new events hold personal words encrypted, and every key opens */
async function judgeWords(configuration: Configuration): Promise<string> {
  if (configuration.masterKey === undefined)
    throw new Unwell(
      'they are stored as plain text, as far as this command knows (ATELIER_MASTER_KEY is not set)',
      'give every role and the command the same master key (docs/privacy.md)',
    );
  const words = wordsOptions(configuration);
  await using opened = await openEventStore(configuration, { ...patience, words });
  const none = { keys: 0, sheets: 0, underOtherMasters: 0 };
  const { keys, sheets, underOtherMasters } = (await opened.keys?.count()) ?? none;
  if (underOtherMasters > 0)
    throw new Unwell(
      `${underOtherMasters} of ${keys + sheets} data keys and sheets of keys are wrapped by another master key`,
      'run "atelier events rewrap-keys" with both master keys',
    );
  return `encrypted in new events, under ${keys} data keys of tenants and ${sheets} sheets with keys of streams`;
}

/**
 * Whether each event has to prove that this service wrote it.
 * @throws Error while events without that proof count
 */
async function judgeWriters(configuration: Configuration): Promise<string> {
  const proof = proofOptions(configuration);
  if (!proof)
    throw new Unwell('unknown without the key', 'set ATELIER_SIGNING_KEY, the same one as for every role');
  if (proof.acceptUnproven)
    throw new Unwell(
      'the service accepts events without proof of their writer (ATELIER_UNPROVEN_EVENTS=accept)',
      'once no process of an older release runs, run "atelier events adopt" and remove the setting from all roles',
    );
  const { withoutProof, earlierKeys } = await withEventStore(configuration, patience, (store) =>
    readAdopted(store, new EventMacs(proof)),
  );
  if (earlierKeys === undefined && configuration.acceptedSigningKeys.length > 0)
    throw new Unwell(
      'the service accepts events of an earlier signing key anywhere in the log',
      'when every role has the new key, run "atelier events adopt"',
    );
  return withoutProof === 0n
    ? 'each event must prove that this service wrote it'
    : `each event after position ${withoutProof} must prove that this service wrote it`;
}

interface QueueStatus {
  readonly env: string;
  readonly waiting: number;
  readonly active: number;
  /** How long the first task that may be taken has waited. */
  readonly oldest_seconds: number | null;
}

/** The numbers of tasks that wait and of tasks that are being rendered. */
async function readQueues(databaseUrl: string): Promise<QueueStatus[]> {
  const levels = await withDatabase(databaseUrl, answerWithinMs, (client) => pgBossQueueLevels(client)());
  return environments.map((env) => {
    const { waiting, delayed, active, oldest_seconds } = levelsOf(env, levels);
    return {
      env,
      waiting: waiting + delayed,
      active,
      oldest_seconds: waiting > 0 ? oldest_seconds : null,
    };
  });
}

/** @throws Error if tasks wait and no worker renders */
function judgeQueues(queues: readonly QueueStatus[]): string {
  const idle = queues
    .filter(({ active, oldest_seconds: oldest }) => active === 0 && (oldest ?? 0) > queuePatienceSeconds)
    .map(({ env, waiting, oldest_seconds: oldest }) => {
      return `${env}: ${waiting} wait, the first for ${oldest} s, and no worker renders`;
    });
  if (idle.length > 0) throw new Error(idle.join('; '));
  return queues
    .map(({ env, waiting, active }) => `${env}: ${waiting} waiting, ${active} rendering`)
    .join('; ');
}

/** The message names this many jobs, and only counts the rest. */
const namedJobs = 3;

/** @throws Error if a job waits for a task that it will never get */
async function judgeJobs({ databaseUrl, ...urls }: Configuration): Promise<string> {
  const stranded = await withDatabase(databaseUrl, undefined, (client) =>
    withEventStore({ databaseUrl, ...urls }, patience, async (store) => {
      const found = [];
      for (const environment of environments) found.push(...(await findStranded(client, store, environment)));
      return found;
    }),
  );
  if (stranded.length === 0) return 'each has a task or a running attempt';
  const names = stranded.slice(0, namedJobs).map(({ jobId }) => jobId);
  const more = stranded.length > names.length ? ' …' : '';
  throw new Error(`${stranded.length} have neither task nor running attempt: ${names.join(', ')}${more}`);
}

/** @throws Error if a charge is open that the sweep should have closed; each sweep gets a horizon's time */
async function judgeCharges({ databaseUrl, projector }: Configuration): Promise<string> {
  const levels = await withDatabase(databaseUrl, answerWithinMs, (client) =>
    readOpenCharges(client, 2 * projector.orphanHorizonMs),
  );
  const overdue = levels.reduce((sum, { orphaned }) => sum + orphaned, 0);
  if (overdue === 0) return 'each has an unfinished job, or is recent';
  throw new Error(`${overdue} have no job, or one that has ended`);
}

/** @throws Error if the last audit found something wrong, or one has failed since */
async function judgeAudits(configuration: Configuration): Promise<string> {
  const words = wordsOptions(configuration);
  const audits = await withEventStore(configuration, { ...patience, words }, async (store) => {
    const filter = { streamPrefixes: [actionsPrefix] };
    return lastAudits(await new KeptEvents(store, filter).all());
  });
  const complaints = complaintsAboutAudits(audits);
  if (complaints.length > 0) throw new Error(complaints.join('; '));
  return auditLine(audits);
}

async function health({ publicUrl }: Configuration, what: 'live' | 'ready'): Promise<string> {
  const url = `${publicUrl}/health/${what}`;
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) });
  } catch (error) {
    throw new Error(`${url} does not answer`, { cause: error });
  }
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return url;
}

/** The report that `--json` prints. */
export async function diagnose(configuration: Configuration) {
  const found = await examine(configuration);
  return describe(configuration, isWell(found), found);
}

const isWell = ({ checks }: Diagnosis) => checks.every((each) => each.ok);

function describe({ publicUrl }: Configuration, ok: boolean, found: Diagnosis) {
  const { checks, eventStore, consumers, queues } = found;
  const of = (wanted: ConsumerStatus['kind']) =>
    consumers.filter(({ kind }) => kind === wanted).map(({ kind: _kind, ...rest }) => rest);
  return {
    ok,
    base_url: publicUrl,
    head_position: eventStore?.head_position ?? null,
    checks,
    event_store: eventStore ?? null,
    projections: of('read model'),
    process_managers: of('process manager').map(({ parked: _parked, ...rest }) => rest),
    render_queue: queues,
  };
}

function print(ok: boolean, { checks, consumers }: Diagnosis): void {
  printTable(checks, {
    '': ({ ok: isWell }) => (isWell ? 'ok' : 'FAILED'),
    check: ({ name }) => name,
    found: ({ detail }) => detail,
  });
  if (consumers.length > 0) {
    printLine();
    printTable(consumers, {
      environment: ({ env }) => env,
      consumer: ({ name }) => name,
      state: ({ state }) => state,
      position: ({ position }) => position,
      behind: lagText,
      parked: ({ parked }) => parked,
    });
  }
  printLine();
  const failed = checks.filter((each) => !each.ok);
  for (const { name, advice } of failed) printLine(`To do: ${name}: ${advice}`);
  printLine(ok ? 'All is well.' : `Not well: ${failed.map(({ name }) => name).join(', ')}.`);
}
