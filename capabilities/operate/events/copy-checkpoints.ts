import type pg from 'pg';
import { environments, streamName, type Environment } from '#domain/streams.js';
import type { EventStore } from '#event-store/event-store.js';
import { isServing } from '#read-store/projection-checkpoints.js';
import { forgetGeneration, loadGenerations } from '../rebuild/generations.js';
import { bindTo, boundLog, type BoundLog } from '#read-store/log-fit.js';
import { CallRefused } from '#operator-calls/call-refused.js';
import { consumers } from '../health/consumers.js';
import { withDatabase } from '../service.js';

/**
 * - `translate`: every consumer has handled all of the source, and goes on behind the last event of the target.
 * - `reset`: every consumer begins anew at the first event of the target; the read models are emptied.
 */
export type CheckpointMove = 'translate' | 'reset';

export interface MoveOptions {
  readonly databaseUrl: string;
  readonly source: EventStore;
  readonly target: EventStore;
  /**
   * Location of the source, without credentials. It is stored beside the checkpoints and names the log that
   * they belong to.
   */
  readonly from: string;
  readonly to: string;
}

interface CheckpointRow {
  readonly env: string;
  readonly name: string;
  readonly generation: number | null;
  readonly position: string | null;
}

/**
 * A position is valid in one store only. This function moves everything that holds positions from the source to
 * the target, in one transaction: the checkpoints of the read models and the process managers, and parked
 * events. Snapshots of accounts also hold positions. They are dropped, and the next load makes them anew.
 *
 * It takes the locks that a running projector holds, so stop the projector before, and start it on the target.
 * @throws CallRefused if a projector runs, or a consumer is not where it has to be; nothing has changed then
 */
export async function moveCheckpoints(
  move: CheckpointMove,
  options: MoveOptions,
): Promise<'translated' | 'translated before' | 'reset'> {
  return inTransactionOn(options.databaseUrl, async (client) => {
    await lockConsumers(client);
    const belongsTo = await boundLog(client);
    const done = move === 'reset' ? await reset(client) : await translate(client, options, belongsTo);
    await dropSnapshots(client);
    await bindTo(client, { identity: await options.target.identity(), place: options.to });
    return done;
  });
}

/** Takes the same locks that runners hold, see `runExclusively`. */
async function lockConsumers(client: pg.Client): Promise<void> {
  const processes = consumers.filter(({ kind }) => kind === 'process manager');
  const locks = [
    ...environments.map((env) => `atelier.projections.${env}`),
    ...processes.map(({ environment, name }) => `atelier.process.${environment}.${name}`),
  ];
  for (const lock of locks) {
    const { rows } = await client.query<{ free: boolean }>(
      'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as free',
      [lock],
    );
    if (!rows[0]?.free)
      throw new CallRefused(
        'a projector still runs: stop all roles, then run the same command again (the checkpoints are unchanged)',
      );
  }
}

/** Compares identities if the binding has one, or else places: older bindings have no identity. */
async function isLog({ identity, place }: BoundLog, log: EventStore, logPlace: string): Promise<boolean> {
  return identity === null ? place === logPlace : identity === (await log.identity());
}

async function translate(
  client: pg.Client,
  { source, target, from, to }: MoveOptions,
  belongsTo: BoundLog | undefined,
): Promise<'translated' | 'translated before'> {
  if (belongsTo && (await isLog(belongsTo, target, to))) return 'translated before';
  if (belongsTo && !(await isLog(belongsTo, source, from)))
    throw new CallRefused(
      `the checkpoints belong to ${belongsTo.place}, but --from is ${from}: name the source as the checkpoints name it, or use --checkpoints reset`,
    );
  await forgetSpareGenerations(client);
  const checkpoints = await readCheckpoints(client);
  for (const checkpoint of checkpoints) await requireCaughtUp(source, checkpoint);
  const last = await target.lastEvent();
  if (!last) return 'translated';
  // A fold's mark that equals the checkpoint moves with it. A fold whose mark lags behind starts again from the
  // beginning.
  await client.query(
    `update read_store.projections set folded_to = (
        select coalesce(jsonb_object_agg(shape, $1::text), '{}')
          from jsonb_each_text(folded_to) as own (shape, mark) where mark = position::text)
      where position is not null`,
    [String(last.position)],
  );
  const tables = ['read_store.projections', ...environments.map((env) => `${env}.process_checkpoints`)];
  for (const table of tables)
    await client.query(
      `update ${table} set position = $1, event_position = $1, event_id = $2 where position is not null`,
      [last.position, last.id],
    );
  await translateParked(client, target);
  return 'translated';
}

/**
 * Drops generations that a rebuild left beside the live ones. They stand still in the middle of the old log,
 * and can be made again.
 */
async function forgetSpareGenerations(client: pg.Client): Promise<void> {
  for (const env of environments) {
    const generations = [...(await loadGenerations(client, env)).values()].flat();
    for (const generation of generations)
      if (!isServing(generation)) await forgetGeneration(client, env, generation);
  }
}

async function readCheckpoints(client: pg.Client): Promise<CheckpointRow[]> {
  const processes = environments.map(
    (env) =>
      `select '${env}' as env, process as name, null::integer as generation, position::text from ${env}.process_checkpoints`,
  );
  const { rows } = await client.query<CheckpointRow>(
    `select environment as env, name, generation, position::text from read_store.projections
      union all ${processes.join(' union all ')} order by env, name, generation`,
  );
  return rows;
}

/**
 * A consumer that has never run has nothing to translate: it begins at the start of any log that it is given.
 */
async function requireCaughtUp(source: EventStore, checkpoint: CheckpointRow): Promise<void> {
  const { env, name, position } = checkpoint;
  if (position === null) return;
  const known = consumers.find((consumer) => consumer.environment === env && consumer.name === name);
  const after = BigInt(position);
  const [next] = await source.readAll({ after, limit: 1, ...(known && { filter: known.filter }) });
  if (!next) return;
  throw new CallRefused(
    `${env} ${name} has not handled ${next.type} of ${next.stream} yet: start the projector on the source, wait until "atelier doctor" finds it up to date, and stop it again; or use --checkpoints reset`,
  );
}

/** Finds parked events by stream and revision, which are the same in both stores. */
async function translateParked(client: pg.Client, target: EventStore): Promise<void> {
  const { rows } = await client.query<{ stream: string; revision: string }>(
    'select distinct stream, revision::text from read_store.parked_events',
  );
  for (const { stream, revision } of rows) {
    const slice = await target.readStream(stream, { from: BigInt(revision), limit: 1 });
    const [event] = slice.kind === 'found' ? slice.events : [];
    if (!event)
      throw new CallRefused(`revision ${revision} of ${stream} is parked, but the target does not have it`);
    await client.query(
      'update read_store.parked_events set position = $3 where stream = $1 and revision = $2',
      [stream, revision, event.position],
    );
  }
}

/**
 * Lets every consumer begin anew at the first event of the log that the installation has now, and binds it to
 * that log. It forgets answers under Idempotency-Keys whose job is not on the log: if such a request comes
 * again, it is charged again. A try without an answer goes on under its own ids.
 * @throws CallRefused while a projector runs; nothing has changed then
 */
export async function resetCheckpoints(
  databaseUrl: string,
  log: { readonly store: EventStore; readonly place: string },
): Promise<{ readonly forgottenKeys: number }> {
  return inTransactionOn(databaseUrl, async (client) => {
    await lockConsumers(client);
    await reset(client);
    await dropSnapshots(client);
    await dropTasks(client);
    await bindTo(client, { identity: await log.store.identity(), place: log.place });
    let forgottenKeys = 0;
    for (const env of environments) forgottenKeys += await forgetLostKeys(client, env, log.store);
    return { forgottenKeys };
  });
}

async function forgetLostKeys(client: pg.Client, env: Environment, store: EventStore): Promise<number> {
  const { rows } = await client.query<{ job_id: string }>(
    `select job_id from ${env}.idempotency_keys where status = 'answered'`,
  );
  const lost: string[] = [];
  for (const { job_id: jobId } of rows) {
    const slice = await store.readStream(streamName(env, 'job', jobId), { limit: 1 });
    if (slice.kind === 'stream-not-found') lost.push(jobId);
  }
  await client.query(`delete from ${env}.idempotency_keys where job_id = any($1)`, [lost]);
  return lost.length;
}

function inTransactionOn<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  // The end of the connection also ends a transaction that was not committed.
  return withDatabase(url, undefined, async (client) => {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  });
}

async function reset(client: pg.Client): Promise<'reset'> {
  const { rows } = await client.query<{ rows_of: string }>(
    `select format('%I.%I', environment, name || '_g' || generation) as rows_of from read_store.projections`,
  );
  for (const { rows_of: table } of rows) await client.query(`truncate ${table}`);
  const cleared = 'position = null, event_position = null, event_id = null';
  await client.query(`update read_store.projections set ${cleared}, folded_to = '{}'`);
  await client.query(
    `update read_store.projections set state = 'live', halted_because = null where state = 'halted'`,
  );
  await client.query('truncate read_store.stream_revisions, read_store.parked_events');
  for (const env of environments)
    await client.query(`update ${env}.process_checkpoints set ${cleared}, halted_because = null`);
  return 'reset';
}

/**
 * Some tasks may be for jobs that are not on the log, and workers would look for those again and again. The
 * other tasks come back.
 */
async function dropTasks(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('pgboss.job') is not null as there`,
  );
  if (rows[0]?.there) await client.query('delete from pgboss.job');
}

/**
 * If the log is elsewhere, its snapshots are in this database. If the log was here before, its old snapshots
 * are still here.
 */
async function dropSnapshots(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('event_store.snapshots') is not null as there`,
  );
  if (rows[0]?.there) await client.query('truncate event_store.snapshots');
}
