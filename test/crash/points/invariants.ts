import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readModels } from '#projections/read-models.js';
import { Books } from './books.js';
import type { Client } from './client.js';
import type { Recorded } from './history.js';
import type { Outcome } from './scenarios.js';
import type { World } from './world.js';

/** What is wrong after a run, when everything has come to rest. Nothing: no lines. */
export async function problemsOf(
  world: World,
  client: Client,
  outcome: Outcome,
  history: readonly Recorded[],
): Promise<string[]> {
  const books = new Books(history);
  return [
    ...books.finalProblems(),
    ...promiseProblems(books, outcome),
    ...(await pictureProblems(world, history)),
    ...(await readProblems(world, client, books)),
  ];
}

/** What was answered has happened; what was not has happened once or not at all. */
function promiseProblems(books: Books, { answered, persistent, ends }: Outcome): string[] {
  const { roots } = books;
  const problems: string[] = [];
  for (const { jobId } of answered) {
    if (!books.jobs.has(jobId)) problems.push(`job ${jobId} was answered and is not there`);
  }
  if (roots.length > 1) problems.push(`${roots.length} jobs came of one dispatch`);
  if (persistent && roots.length !== 1)
    problems.push(`a dispatch that was answered has ${roots.length} jobs`);
  for (const { jobId, endings, children } of roots) {
    // A machine so slow that the sweep was first: then there was nothing to draw, and nothing is charged.
    const givenBack = children.length > 0 && children.every((child) => books.voided.has(child));
    if (endings[0] !== (givenBack ? 'JobFailed' : ends))
      problems.push(`job ${jobId} ended with ${endings[0]}, not ${ends}`);
  }
  if (ends === 'JobVoided' && roots.length > 0) problems.push('a job came of what was given up');
  const kept = [...books.charges.values()].filter(({ jobId }) => books.jobs.has(jobId));
  const due = roots.flatMap(({ jobId, children }) => (children.length > 0 ? children : [jobId]));
  const notGivenBack = due.filter((jobId) => !books.voided.has(jobId));
  if (persistent && kept.length !== notGivenBack.length) {
    problems.push(`${kept.length} charges stand for the ${notGivenBack.length} jobs of one dispatch`);
  }
  return problems;
}

/** Every picture that an event names was stored before, with these bytes. */
async function pictureProblems({ storage }: World, history: readonly Recorded[]): Promise<string[]> {
  const problems: string[] = [];
  const stored = new Set<string>();
  for (const event of history) {
    if (event.type === 'AssetStored') {
      const { assetId, storageKey } = event.data;
      stored.add(assetId);
      const bytes = await storage.get(storageKey).catch(() => undefined);
      if (!bytes) problems.push(`${assetId} was stored, and ${storageKey} is not there`);
    }
    if (event.type !== 'StageCompleted' && event.type !== 'JobSucceeded') continue;
    const artifacts = event.data.artifacts;
    if (event.type === 'JobSucceeded' && artifacts.length === 0) problems.push(`${event.id} has no picture`);
    for (const { assetId, storageKey, sha256 } of artifacts) {
      if (!stored.has(assetId)) problems.push(`${assetId} is named before it is stored`);
      const bytes = await storage.get(storageKey).catch(() => undefined);
      const hash = bytes && createHash('sha256').update(bytes).digest('hex');
      if (hash !== sha256) problems.push(`the picture ${storageKey} is ${bytes ? 'another one' : 'lost'}`);
    }
  }
  return problems;
}

const caughtUpWithinMs = 15_000;

/** What the API shows is what the history says. */
async function readProblems(world: World, client: Client, books: Books): Promise<string[]> {
  if (!(await caughtUp(world))) return ['the read models do not catch up'];
  const problems: string[] = [];
  const { balance } = await client.get<{ balance: number }>('credits');
  if (balance !== books.balance) problems.push(`the balance is ${balance}, history says ${books.balance}`);
  const sum = await client.sumOfTransactions();
  if (sum !== books.balance) problems.push(`the transactions sum to ${sum}, history to ${books.balance}`);
  for (const { jobId, endings } of books.jobs.values()) {
    const { status } = await client.get<{ status: string }>(`jobs/${jobId}`);
    const due = endings[0] === 'JobSucceeded' ? 'SUCCESS' : 'FAILURE';
    if (status !== due) problems.push(`job ${jobId} is shown as ${status}, not ${due}`);
  }
  return problems;
}

export async function caughtUp({ events, pool }: World): Promise<boolean> {
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
