import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditedEvent } from '#capabilities/operate/audit/audited-event.js';
import { sha256Of } from '#application/render/render-inputs.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { readModels } from '#projections/read-models.js';
import { JudgedHistory } from '../../support/judged-history.js';
import { tablesWith } from '../../support/tables-with.js';
import type { Client } from './client.js';
import type { Outcome } from './outcome.js';
import type { World } from './world.js';

/** Every event of a tenant, in the order of the log. */
export async function historyOf(store: EventStore, tenant: string, after: bigint): Promise<RecordedEvent[]> {
  const history: RecordedEvent[] = [];
  for (let from = after; ;) {
    const page = await store.readAll({ after: from, limit: 1_000 });
    history.push(...page.filter(({ metadata }) => metadata.tenant === tenant));
    const last = page.at(-1);
    if (!last || page.length < 1_000) return history;
    from = last.position;
  }
}

/** The story for people, one line for each event. */
export function tell(history: readonly RecordedEvent[]): string {
  return history.map(({ type, stream, data }) => `${stream} ${type} ${JSON.stringify(data)}`).join('\n');
}

/** The problems so far, and the work that is still open. */
export function judge(history: readonly RecordedEvent[]) {
  const judged = new JudgedHistory('test');
  for (const event of history) judged.apply(event);
  return { problems: judged.news(), unsettled: judged.unsettled() };
}

/** The problems after a run, once everything is at rest. Empty: all is well. */
export async function problemsOf(
  world: World,
  client: Client,
  outcome: Outcome,
  history: readonly RecordedEvent[],
): Promise<string[]> {
  const judged = new JudgedHistory('test');
  const events = history.flatMap((event) => judged.apply(event) ?? []);
  return [
    ...judged.problemsAtRest(),
    ...fenceProblems(judged, events),
    ...promiseProblems(judged, outcome),
    ...(await pictureProblems(world, events)),
    ...(await erasureProblems(world, client.customer.tenant, outcome, events)),
    ...(outcome.closed
      ? await closingProblems(world, client.customer.tenant, judged, events)
      : await readProblems(world, client, judged)),
  ];
}

/** A charge without a job must be fenced off under its own name. */
function fenceProblems({ charges, jobs }: JudgedHistory, events: readonly AuditedEvent[]): string[] {
  const fences = new Map(
    events.flatMap((event) =>
      event.type === 'JobVoided' ? [[event.streamId, event.data.chargeId] as const] : [],
    ),
  );
  return [...charges.values()]
    .filter(({ jobId, chargeId }) => !jobs.has(jobId) && fences.get(jobId) !== chargeId)
    .map(({ chargeId }) => `charge ${chargeId} was refunded without a fence`);
}

const stateAfter = {
  JobSucceeded: 'succeeded',
  JobFailed: 'failed',
  JobCancelled: 'cancelled',
  JobVoided: 'voided',
} as const satisfies Record<Outcome['ends'], string>;

/** An answered dispatch has happened. A dispatch without an answer has happened once or not at all. */
function promiseProblems(history: JudgedHistory, { answered, persistent, ends }: Outcome): string[] {
  const { jobs, charges } = history;
  const isVoided = (jobId: string) => history.stateOf(jobId) === 'voided';
  const roots = [...jobs.values()].filter(({ parentJobId }) => parentJobId === null);
  const problems: string[] = [];
  for (const { jobId } of answered) {
    if (!jobs.has(jobId)) problems.push(`job ${jobId} was answered and is not there`);
  }
  if (roots.length > 1) problems.push(`${roots.length} jobs came of one dispatch`);
  if (persistent && roots.length !== 1)
    problems.push(`a dispatch that was answered has ${roots.length} jobs`);
  for (const { jobId, childJobIds = [] } of roots) {
    // On a very slow machine the sweep may come first: then there is nothing to draw, and nothing is charged.
    const givenBack = childJobIds.length > 0 && childJobIds.every(isVoided);
    const [is, must] = [history.stateOf(jobId), stateAfter[givenBack ? 'JobFailed' : ends]];
    if (is !== must) problems.push(`job ${jobId} ${is}, and must have ${must}`);
  }
  if (ends === 'JobVoided' && roots.length > 0) problems.push('a job came of what was given up');
  const kept = [...charges.values()].filter(({ jobId }) => jobs.has(jobId));
  const due = roots.flatMap(({ jobId, childJobIds = [] }) =>
    childJobIds.length > 0 ? childJobIds : [jobId],
  );
  const notGivenBack = due.filter((jobId) => !isVoided(jobId));
  if (persistent && kept.length !== notGivenBack.length) {
    problems.push(`${kept.length} charges stand for the ${notGivenBack.length} jobs of one dispatch`);
  }
  return problems;
}

/**
 * Every picture that an event names must have been stored before the event, with the same bytes. Nothing may be left of one
 * that was erased.
 */
async function pictureProblems({ storage }: World, events: readonly AuditedEvent[]): Promise<string[]> {
  const problems: string[] = [];
  const stored = new Set<string>();
  const erased = new Set(
    events.flatMap(({ type, streamId }) => (type === 'PictureErased' ? [streamId] : [])),
  );
  for (const event of events) {
    if (event.type === 'AssetStored') {
      const { assetId, storageKey } = event.data;
      stored.add(assetId);
      const bytes = await storage.get(storageKey).catch(() => undefined);
      if (!bytes && !erased.has(assetId))
        problems.push(`${assetId} was stored, and ${storageKey} is not there`);
      if (bytes && erased.has(assetId)) problems.push(`${assetId} is erased, and ${storageKey} is there`);
    }
    if (event.type !== 'StageCompleted' && event.type !== 'JobSucceeded') continue;
    const artifacts = event.data.artifacts;
    if (event.type === 'JobSucceeded' && artifacts.length === 0)
      problems.push(`${event.streamId} has no picture`);
    for (const { assetId, storageKey, sha256 } of artifacts) {
      if (!stored.has(assetId)) problems.push(`${assetId} is named before it is stored`);
      if (erased.has(assetId)) continue;
      const bytes = await storage.get(storageKey).catch(() => undefined);
      const hash = bytes && sha256Of(bytes);
      if (hash !== sha256) problems.push(`the picture ${storageKey} is ${bytes ? 'another one' : 'lost'}`);
    }
  }
  return problems;
}

const stepsOfErasure = ['refused', 'bytes', 'rows', 'keys'];

/** Each erasure is completed once, with its steps in order, and no table has words of what it erased. */
async function erasureProblems(
  world: World,
  tenant: string,
  { erasedWords }: Outcome,
  events: readonly AuditedEvent[],
): Promise<string[]> {
  const problems: string[] = [];
  const ofErasures = events.filter(({ category }) => category === 'erasure');
  for (const [erasureId, own] of Map.groupBy(ofErasures, ({ streamId }) => streamId)) {
    const story = own.map((event) => (event.type === 'ErasureStepped' ? event.data.step : event.type));
    const due = ['ErasureRequested', ...stepsOfErasure, 'ErasureCompleted'];
    if (story.join() !== due.join()) problems.push(`the erasure ${erasureId} is ${story.join(', ')}`);
  }
  const jobsErased = events.filter((event) => event.type === 'JobErased' && event.data.words);
  for (const { streamId } of jobsErased) {
    const left = await world.storage.list(`test/${tenant}/renders/${streamId}/`);
    if (left.length > 0) problems.push(`of the erased job ${streamId} there is ${left.join(', ')}`);
  }
  if (erasedWords === undefined) return problems;
  for (const table of await tablesWith(world.pool, erasedWords))
    problems.push(`${table} has "${erasedWords}"`);
  return problems;
}

/** Nothing of a closed tenant is left but its money, and the record outside the database. */
async function closingProblems(
  world: World,
  tenant: string,
  history: JudgedHistory,
  events: readonly AuditedEvent[],
): Promise<string[]> {
  if (!(await caughtUp(world))) return ['the read models do not catch up'];
  const problems: string[] = [];
  const closed = events.filter(({ type }) => type === 'TenantClosed').length;
  if (closed !== 1) problems.push(`the tenant was closed ${closed} times`);
  const left = await world.storage.list(`test/${tenant}/`);
  if (left.length > 0) problems.push(`of the closed tenant there is ${left.join(', ')}`);
  if (!(await world.storage.has(`closings/test/${tenant}.json`)))
    problems.push('no record of the closing is kept');
  const keys = `select from test.keys where tenant = $1 and revoked_at is null`;
  if ((await world.pool.query(keys, [tenant])).rowCount !== 0)
    problems.push('a key of the closed tenant is valid');
  const total = `select coalesce(sum(credits_delta), 0)::integer as sum from test.ledger where tenant = $1`;
  const [ledger] = (await world.pool.query<{ sum: number }>(total, [tenant])).rows;
  const due = history.balanceOf(tenant);
  if (ledger?.sum !== due) problems.push(`the transactions sum to ${ledger?.sum}, history to ${due}`);
  return problems;
}

const caughtUpWithinMs = 15_000;

/** The API must show the same as the history. */
async function readProblems(world: World, client: Client, history: JudgedHistory): Promise<string[]> {
  if (!(await caughtUp(world))) return ['the read models do not catch up'];
  const problems: string[] = [];
  const due = history.balanceOf(client.customer.tenant);
  const { balance } = await client.get<{ balance: number }>('credits');
  if (balance !== due) problems.push(`the balance is ${balance}, history says ${due}`);
  const sum = await client.sumOfTransactions();
  if (sum !== due) problems.push(`the transactions sum to ${sum}, history to ${due}`);
  for (const jobId of history.jobs.keys()) {
    const { status } = await client.get<{ status: string }>(`jobs/${jobId}`);
    const due = history.stateOf(jobId) === 'succeeded' ? 'SUCCESS' : 'FAILURE';
    if (status !== due) problems.push(`job ${jobId} is shown as ${status}, not ${due}`);
  }
  return problems;
}

export async function caughtUp({ events, pool }: Pick<World, 'events' | 'pool'>): Promise<boolean> {
  const head = (await events.store.head()) ?? 0n;
  for (const end = Date.now() + caughtUpWithinMs; Date.now() < end; await sleep(20)) {
    const there = await pool.query(
      `select from read_store.projections where environment = 'test' and position >= $1`,
      [head],
    );
    if (there.rowCount === readModels.length) return true;
  }
  return false;
}
